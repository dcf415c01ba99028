//! Short names between a module and its glue.
//!
//! wasm-bindgen names every function that a module imports after what it does, with a number of sixteen digits
//! behind it: in the module and in its glue together a tenth of what is transferred. Nobody else reads these names.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail, ensure};

/// Shortens the names in a module `BIN_bg.wasm` and its glue `BIN.js`, and leaves out what the glue has for readers.
pub(crate) fn shorten(folder: &Path, bin: &str) -> Result<()> {
    let (module, glue) = (folder.join(format!("{bin}_bg.wasm")), folder.join(format!("{bin}.js")));
    let (bytes, names) = rename(&fs::read(&module)?, &format!("./{bin}_bg.js"))
        .with_context(|| format!("{} is no module as they are known here", module.display()))?;
    let mut text = fs::read_to_string(&glue)?;
    for (nth, name) in names.iter().enumerate() {
        let (old, new) = (format!(" {name}: function("), format!(" {}: function(", short(nth)));
        ensure!(text.matches(&old).count() == 1, "the glue has not one function {name}");
        text = text.replace(&old, &new);
    }
    fs::write(module, bytes)?;
    Ok(fs::write(glue, bare(&text))?)
}

/// The name of the nth function.
fn short(nth: usize) -> String {
    format!("_{nth:x}")
}

/// The script without indentation, empty lines, and comments that have lines of their own.
fn bare(script: &str) -> String {
    let mut bare = String::new();
    let mut comment = false;
    for line in script.lines().map(str::trim) {
        comment |= line.starts_with("/*");
        if !comment && !line.is_empty() && !line.starts_with("//") {
            bare += line;
            bare.push('\n');
        }
        comment &= !line.ends_with("*/");
    }
    bare
}

/// The module with short names for what it imports from `from`, and the names that those were.
fn rename(module: &[u8], from: &str) -> Result<(Vec<u8>, Vec<String>)> {
    const IMPORTS: u8 = 2;
    let mut names = Vec::new();
    let mut reader = Reader { bytes: module, at: 0 };
    let mut out = reader.take(8)?.to_vec();
    while reader.at < module.len() {
        let (kind, len) = (reader.byte()?, reader.number()?);
        let section = reader.take(len as usize)?;
        let renamed;
        let section = if kind == IMPORTS {
            renamed = rename_imports(section, from, &mut names)?;
            &renamed
        } else {
            section
        };
        out.push(kind);
        push_number(&mut out, section.len() as u64);
        out.extend(section);
    }
    Ok((out, names))
}

fn rename_imports(section: &[u8], from: &str, names: &mut Vec<String>) -> Result<Vec<u8>> {
    let mut reader = Reader { bytes: section, at: 0 };
    let mut out = Vec::new();
    let count = reader.number()?;
    push_number(&mut out, count);
    for _ in 0..count {
        let (module, name) = (reader.name()?, reader.name()?);
        let kind_at = reader.at;
        match reader.byte()? {
            // A function or a tag: of which type.
            0 => drop(reader.number()?),
            4 => drop((reader.byte()?, reader.number()?)),
            // A table: of what, and how large.
            1 => drop((reader.byte()?, reader.limits()?)),
            // A memory.
            2 => reader.limits()?,
            // A global: of what, and whether it changes.
            3 => drop(reader.take(2)?),
            other => bail!("an import of kind {other}"),
        }
        let kind = &section[kind_at..reader.at];
        let name = if module == from {
            names.push(name);
            short(names.len() - 1)
        } else {
            name
        };
        for text in [module, name] {
            push_number(&mut out, text.len() as u64);
            out.extend(text.as_bytes());
        }
        out.extend(kind);
    }
    Ok(out)
}

fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads WebAssembly's binary format.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let taken = &self.bytes[self.at..end.context("it ends too early")?];
        self.at += count;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    /// An unsigned number in LEB128.
    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        bail!("a number without end")
    }

    fn name(&mut self) -> Result<String> {
        let len = self.number()?;
        Ok(String::from_utf8(self.take(len as usize)?.to_vec())?)
    }

    fn limits(&mut self) -> Result<()> {
        let has_most = self.byte()? & 1 == 1;
        self.number()?;
        if has_most {
            self.number()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{bare, rename};

    #[test]
    fn names_of_one_module_become_short_and_the_rest_stays() {
        // (module (import "./a_bg.js" "__wbg_log_0123" (func)) (import "b" "memory" (memory 1 2)))
        let mut module = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0".to_vec();
        let mut imports = vec![2, 9];
        imports.extend(b"./a_bg.js\x0e__wbg_log_0123\0\0");
        imports.extend(b"\x01b\x06memory\x02\x01\x01\x02");
        module.extend([2, imports.len() as u8]);
        module.extend(&imports);
        let (renamed, names) = rename(&module, "./a_bg.js").unwrap();
        assert_eq!(names, ["__wbg_log_0123"]);
        let text = String::from_utf8_lossy(&renamed);
        assert!(text.contains("./a_bg.js\u{2}_0\0\0\u{1}b\u{6}memory"), "{text:?}");
        assert_eq!(rename(&renamed, "nobody").unwrap().0, renamed);
        assert!(rename(&module[..20], "./a_bg.js").is_err());
    }

    #[test]
    fn a_bare_script_says_the_same() {
        let script = "/**\n * What it is.\n */\nfunction f() {\n    // Why.\n\n    return `//`; // here\n}\n";
        assert_eq!(bare(script), "function f() {\nreturn `//`; // here\n}\n");
    }
}
