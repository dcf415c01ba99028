//! The site's other pages: docs/conformance.md, because a browser shows Markdown as plain text or saves it, and the
//! table of promises, which the article takes in and links to. Both look like the article.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

use crate::project;

/// The scenarios that the report names: in the repository, as the report links to them, and in the site.
const SCENARIOS: [&str; 3] = ["conformance/scenarios", "../conformance/scenarios/", "scenarios/"];

/// Puts the report and its scenarios into a site that has its page already.
pub(crate) fn publish(site: &Path) -> Result<()> {
    let path = project::root().join("docs/conformance.md");
    let report = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let page = fs::read_to_string(site.join("index.html"))?;
    let head = head(&page)?;
    fs::write(site.join("conformance.html"), to_html(&report, &head))?;

    let proof = site.join("proof.html");
    let table = fs::read_to_string(&proof).with_context(|| format!("reading {}", proof.display()))?;
    fs::write(&proof, dressed(&table, &head))?;

    let [folder, _, published] = SCENARIOS;
    let folder = project::root().join(folder);
    fs::create_dir_all(site.join(published))?;
    for entry in fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
        let entry = entry?;
        fs::copy(entry.path(), site.join(published).join(entry.file_name()))?;
    }
    Ok(())
}

/// What the pages' heads share: what may run, the reader's choice of colours, and the article's style.
fn head(page: &str) -> Result<String> {
    let tag = |begin: &str, file: &str| {
        let tag = page.split('<').find(|tag| tag.starts_with(begin) && tag.contains(file));
        let (tag, _) =
            tag.and_then(|tag| tag.split_once('>')).with_context(|| format!("no {file} in the page"))?;
        anyhow::Ok(format!("<{tag}>"))
    };
    Ok(format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self'; \
         style-src 'self'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n{}</script>\n{}\n<link rel=\"stylesheet\" href=\"./report.css\">",
        tag("script ", "./theme-")?,
        tag("link ", "./style-")?
    ))
}

/// The report, with a table in a frame that scrolls where it is too wide.
fn to_html(report: &str, head: &str) -> String {
    let [_, linked, published] = SCENARIOS;
    let parser = Parser::new_ext(report, Options::ENABLE_TABLES);
    let events = parser.flat_map(|event| match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = match dest_url.strip_prefix(linked) {
                Some(file) => format!("{published}{file}").into(),
                None => dest_url,
            };
            vec![Event::Start(Tag::Link { link_type, dest_url, title, id })]
        }
        table @ Event::Start(Tag::Table(_)) => {
            let frame = "<div class=\"report-table\" tabindex=\"0\" role=\"group\" aria-label=\"Results\">";
            vec![Event::Html(frame.into()), table]
        }
        table @ Event::End(TagEnd::Table) => vec![table, Event::Html("</div>".into())],
        event => vec![event],
    });
    let mut text = String::new();
    html::push_html(&mut text, events);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Against the real client</title>\n{head}\n</head>\n\
         <body>\n<main class=\"report\">\n<p><a href=\"./\">The Keyed Worker Pool</a></p>\n{text}</main>\n</body>\n</html>\n"
    )
}

/// A page with the shared head in its own, before what it asks for itself.
fn dressed(page: &str, head: &str) -> String {
    page.replacen("</title>\n", &format!("</title>\n{head}\n"), 1)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{dressed, head, to_html};
    use crate::project;

    #[test]
    fn the_report_links_to_nothing_outside_the_site() {
        let report = fs::read_to_string(project::root().join("docs/conformance.md")).unwrap();
        let page = to_html(&report, "");
        let links: Vec<_> =
            page.split("<a href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(links.len() > 10, "{links:?}");
        for link in links.iter().filter(|link| **link != "./") {
            let file = link.strip_prefix("scenarios/").unwrap_or_else(|| panic!("{link} is not in the site"));
            assert!(project::root().join("conformance/scenarios").join(file).exists(), "{link}");
        }
        assert_eq!(page.matches("<table>").count(), page.matches("report-table").count());
    }

    #[test]
    fn what_both_pages_need_is_taken_from_the_first() {
        let page = "<script src=./theme-1.js></script><link rel=stylesheet href=./style-2.css><p>";
        let head = head(page).unwrap();
        assert!(
            head.contains("\n<script src=./theme-1.js></script>\n<link rel=stylesheet href=./style-2.css>\n")
        );
        super::head("<p>").unwrap_err();
    }

    #[test]
    fn the_table_looks_like_the_article() {
        let table = fs::read_to_string(project::root().join("www/proof.html")).unwrap();
        let page = dressed(&table, "<link href=a>");
        assert!(page.find("<link href=a>") < page.find("proof.css"), "its own style comes last");
        assert_eq!(page.len(), table.len() + "<link href=a>\n".len());
    }
}
