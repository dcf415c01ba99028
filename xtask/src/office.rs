//! Names the files of the page's second module after what is in them.
//!
//! trunk names the first module's files so, and a worker's not. A browser may keep a file of an old build for a
//! while; with a name for each content, glue, module and page can never be of different builds.

use std::{env, fs, path::Path};

use anyhow::{Context, Result, ensure};

/// What starts the module, the glue, and the module: in the order in which the next is named by the one before.
const FILES: [&str; 3] = ["office.js", "kwp-office.js", "kwp-office_bg.wasm"];

/// Renames the files where trunk has put them, and the names of them in each other and in the page. trunk calls
/// this when everything is built (see Trunk.toml).
pub(crate) fn rename() -> Result<()> {
    let folder = env::var_os("TRUNK_STAGING_DIR").context("this is for trunk to call, which says where")?;
    rename_in(Path::new(&folder))
}

fn rename_in(folder: &Path) -> Result<()> {
    let mut hash = Fnv::default();
    for file in FILES {
        let path = folder.join(file);
        hash.eat(&fs::read(&path).with_context(|| format!("{} must have been built", path.display()))?);
    }
    let named = |file: &str| match file.split_once('.') {
        Some((stem, ending)) => format!("{stem}-{:016x}.{ending}", hash.0),
        None => file.to_owned(),
    };
    let rewrite = |path: &str, names: &[&str]| -> Result<()> {
        let path = folder.join(path);
        let mut text = fs::read_to_string(&path)?;
        for name in names {
            let (old, new) = (format!("\"./{name}\""), format!("\"./{}\"", named(name)));
            ensure!(text.contains(&old), "{} does not name {old}", path.display());
            text = text.replace(&old, &new);
        }
        Ok(fs::write(path, text)?)
    };
    rewrite("index.html", &FILES[..1])?;
    rewrite(FILES[0], &FILES[1..])?;
    for file in FILES {
        fs::rename(folder.join(file), folder.join(named(file)))?;
    }
    Ok(())
}

/// FNV-1a.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn eat(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_files_and_the_page_agree_on_the_names() {
        let folder = env::temp_dir().join(format!("kwp-xtask-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        write("index.html", r#"<meta name="office" content="./office.js">"#);
        write("office.js", r#"import("./kwp-office.js"); new URL("./kwp-office_bg.wasm", x)"#);
        write("kwp-office.js", "glue");
        write("kwp-office_bg.wasm", "module");
        rename_in(&folder).unwrap();
        let page = fs::read_to_string(folder.join("index.html")).unwrap();
        let start = page.split('"').nth(3).unwrap().to_owned();
        let starter = fs::read_to_string(folder.join(&start)).unwrap();
        for name in starter.split('"').skip(1).step_by(2) {
            assert!(folder.join(name).exists(), "{name}");
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 4);
        assert!(rename_in(&folder).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
