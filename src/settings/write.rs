//! Settings written again, in any dialect and form.
//!
//! Names come from the table, values are numbers, flags and words of the table: nothing that somebody pasted gets
//! through.

use std::{collections::BTreeMap, fmt::Write};

use super::{Dialect, Form, Settings, Value};

/// Writes settings under the names that a dialect has for them. What it has no name for is left out, and in a comment
/// where the form has comments; so is what is for the consumer's own code, in librdkafka's own form, because
/// librdkafka refuses names that it does not know.
#[must_use]
pub fn write(settings: &Settings, dialect: Dialect, form: Form) -> String {
    let spelled = settings.iter().filter_map(|(name, value, _)| Some((name.spelled(dialect)?, value)));
    let (own, client): (Vec<_>, Vec<_>) = spelled.partition(|(name, _)| name.starts_with("kwp."));
    let missing = settings.iter().filter(|(name, ..)| name.spelled(dialect).is_none());
    let missing: Vec<String> = missing
        .map(|(name, value, _)| format!("# {} has no {} (here {value})", dialect.name(), name.called()))
        .collect();
    let about = match dialect {
        Dialect::Librdkafka => "For your own code: take these out of what you hand to librdkafka.",
        _ => "For your own code: no client reads these.",
    };
    let mut text = String::new();
    match form {
        Form::Properties => {
            lines(&mut text, &client);
            if !own.is_empty() {
                let _ = writeln!(text, "\n# {about}");
                lines(&mut text, &own);
            }
        }
        Form::Yaml => {
            let mut tree = Tree::default();
            for (name, value) in &client {
                // What is handed through keeps its dots in one key.
                let through = super::lookup::handed_through(name);
                let path =
                    name.strip_suffix(through.unwrap_or_default()).unwrap_or(name).trim_end_matches('.');
                tree.insert(path.split('.').chain(through), *value);
            }
            tree.write(&mut text, 0);
            if !own.is_empty() {
                let mut tree = Tree::default();
                own.iter().for_each(|(name, value)| tree.insert(name.split('.'), *value));
                let _ = writeln!(text, "# {about}");
                tree.write(&mut text, 0);
            }
        }
        Form::Json | Form::Code => {
            let entries: Vec<String> =
                client.iter().chain(&own).map(|(name, value)| json(name, *value)).collect();
            let _ = writeln!(text, "{{\n{}\n}}", entries.join(",\n"));
        }
    }
    if !missing.is_empty() && !matches!(form, Form::Json | Form::Code) {
        let _ = writeln!(text, "\n{}", missing.join("\n"));
    }
    text
}

fn lines(text: &mut String, entries: &[(&str, Value)]) {
    for (name, value) in entries {
        let _ = writeln!(text, "{name}={value}");
    }
}

fn json(name: &str, value: Value) -> String {
    match value {
        Value::Word(word) => format!("  \"{name}\": \"{word}\""),
        value => format!("  \"{name}\": {value}"),
    }
}

/// Names by their parts. A name that is a value and a beginning of others at once does not occur in the table.
#[derive(Default)]
struct Tree(BTreeMap<String, Node>);

enum Node {
    Leaf(Value),
    Branch(Tree),
}

impl Tree {
    fn insert<'p>(&mut self, mut path: impl Iterator<Item = &'p str>, value: Value) {
        let (Some(first), rest) = (path.next(), path.collect::<Vec<_>>()) else { return };
        if rest.is_empty() {
            self.0.insert(first.to_owned(), Node::Leaf(value));
            return;
        }
        let branch = self.0.entry(first.to_owned()).or_insert_with(|| Node::Branch(Tree::default()));
        if let Node::Branch(tree) = branch {
            tree.insert(rest.into_iter(), value);
        }
    }

    fn write(&self, text: &mut String, depth: usize) {
        for (name, node) in &self.0 {
            let indent = "  ".repeat(depth);
            let name = if name.contains('.') { format!("\"[{name}]\"") } else { name.clone() };
            match node {
                // A word that YAML would take for something else is in quotes.
                Node::Leaf(Value::Word(word @ "off")) => {
                    let _ = writeln!(text, "{indent}{name}: \"{word}\"");
                }
                Node::Leaf(value) => {
                    let _ = writeln!(text, "{indent}{name}: {value}");
                }
                Node::Branch(tree) => {
                    let _ = writeln!(text, "{indent}{name}:");
                    tree.write(text, depth + 1);
                }
            }
        }
    }
}
