//! Tells the service worker which files the site has, and gives the whole of them a version.
//!
//! Last of all that is done to a site: any other file that changes is another version.

use std::{fs, path::Path};

use anyhow::{Context, Result};

use crate::modules::hash;

const WORKER: &str = "sw.js";

/// Puts two lines above those of `www/sw.js`: `VERSION` and `FILES`.
pub(crate) fn tell(site: &Path) -> Result<()> {
    let mut files = Vec::new();
    list(site, "", &mut files)?;
    files.sort();
    let version = hash(files.iter().map(|file| site.join(file)))?;
    // A visitor asks for the folder, not for the page in it.
    let asked: Vec<_> = files.iter().map(|file| if file == "index.html" { "./" } else { file }).collect();
    let path = site.join(WORKER);
    let worker = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let told = format!("const VERSION = \"{version:016x}\";\nconst FILES = {asked:?};\n\n{worker}");
    Ok(fs::write(path, told)?)
}

/// The files of a folder of the site, as the page would ask for them.
fn list(folder: &Path, place: &str, files: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let entry = entry?;
        let name = format!("{place}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{name}/"), files)?;
        } else if name != WORKER {
            files.push(name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use super::tell;

    #[test]
    fn every_file_is_told_and_any_change_is_another_version() {
        let site = env::temp_dir().join(format!("kwp-xtask-offline-{}", std::process::id()));
        fs::create_dir_all(site.join("icons")).unwrap();
        let told = |page: &str| {
            fs::write(site.join("index.html"), page).unwrap();
            fs::write(site.join("icons/a.png"), "a").unwrap();
            fs::write(site.join("sw.js"), "// the worker\n").unwrap();
            tell(&site).unwrap();
            fs::read_to_string(site.join("sw.js")).unwrap()
        };
        let (first, second) = (told("one"), told("two"));
        assert!(first.contains(r#"const FILES = ["icons/a.png", "./"];"#), "{first}");
        assert!(first.ends_with("\n// the worker\n"));
        assert_ne!(first.lines().next(), second.lines().next());
        assert_eq!(first, told("one"));
        fs::remove_dir_all(&site).unwrap();
    }
}
