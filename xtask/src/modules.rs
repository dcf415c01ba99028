//! Makes the page's two modules and puts them into the site that trunk is building: compiles them, cuts the first
//! into the files that a reader needs one after the other, generates their glue, shrinks them, and names all of
//! them after what is in them.
//!
//! trunk could compile and bind, but between the two the module has to be cut (see `src/main.rs`). A browser may
//! keep a file of an old build for a while; with a name for each content, files that belong together can never be
//! of different builds.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use crate::{
    glue, offline,
    process::{cargo, command, run},
    project, report, tools,
};

/// What rustc may use of WebAssembly unless it is told otherwise, and so may wasm-opt: all of it is years old.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// A module of the page.
struct Module {
    /// The program that it is compiled from.
    bin: &'static str,
    /// Besides those of [`build`].
    arguments: &'static [&'static str],
    /// Passed on to the linker: what the cutter needs to know.
    link: Option<&'static str>,
    /// What the site has for it anyway, and starts it.
    starter: Option<&'static str>,
}

const PAGE: Module = Module {
    bin: "kwp",
    arguments: &[],
    // Which function needs which other one, and which data.
    link: Some("--emit-relocs"),
    starter: None,
};

const OFFICE: Module = Module {
    bin: "kwp-office",
    arguments: &["--features", "office"],
    link: None,
    starter: Some("office.js"),
};

/// Puts both modules into the folder in which trunk puts the site together. trunk calls this when it has put
/// everything else there (see Trunk.toml).
pub(crate) fn make() -> Result<()> {
    let site = env::var_os("TRUNK_STAGING_DIR").context("this is for trunk to call, which says where")?;
    hold_back(Path::new(&site))?;
    let small = env::var("TRUNK_PROFILE").is_ok_and(|profile| profile == "release");
    for module in [PAGE, OFFICE] {
        let files = build(&module, small)?;
        place(&module, &files, Path::new(&site))?;
    }
    report::publish(Path::new(&site))?;
    offline::tell(Path::new(&site))
}

/// The panels whose style sheets come with them.
const LATER: [&str; 4] = ["watermark", "backpressure", "rebalance", "consumer"];

/// Takes from the links to those style sheets what makes a browser fetch them: the page gives it back when the
/// panel is to come (`src/web/approach.rs`).
fn hold_back(site: &Path) -> Result<()> {
    let path = site.join("index.html");
    let mut page = fs::read_to_string(&path)?;
    for panel in LATER {
        let link =
            page.split('<').find(|tag| tag.starts_with("link ") && tag.contains(&format!("./{panel}-")));
        let link = link.with_context(|| format!("the page has no style sheet for {panel}"))?.to_owned();
        let held = link.replace("rel=\"stylesheet\"", "").replace("rel=stylesheet", "");
        ensure!(held != link, "the link to {panel}'s style sheet is none: {link}");
        page = page.replace(&link, &held.replacen("link ", &format!("link data-style=\"{panel}\" "), 1));
    }
    Ok(fs::write(path, page)?)
}

/// Compiles a module, and what follows; the folder with its files.
fn build(module: &Module, small: bool) -> Result<PathBuf> {
    let profile = if small { "page" } else { "dev" };
    let mut compile = cargo();
    compile.args(["rustc", "--quiet", "--locked", "--bin", module.bin, "--target", tools::WASM_TARGET]);
    compile.args(["--profile", profile]).args(module.arguments);
    compile.args(module.link.map(|word| ["--".into(), format!("-Clink-arg={word}")]).into_iter().flatten());
    run(&mut compile)?;

    let folder = if small { "page" } else { "debug" };
    let compiled = project::target().join(tools::WASM_TARGET).join(folder).join(module.bin);
    let compiled = compiled.with_extension("wasm");
    let made = project::target().join("modules").join(folder).join(module.bin);
    // What follows takes longer than finding out that nothing has changed.
    let stamp = made.join("made-from");
    let from = format!("{:016x}", hash([&compiled])?);
    if fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == from) {
        return Ok(made.join("files"));
    }
    let _ = fs::remove_dir_all(&made);
    let files = made.join("files");
    fs::create_dir_all(&files)?;
    bind(module, &compiled, &made)?;
    if small {
        glue::shorten(&files, module.bin)?;
        let shrinks = tools::wasm_opt()?;
        for file in names(&files)?.iter().filter(|name| shrinks && name.ends_with(".wasm")) {
            shrink(&files.join(file))?;
        }
    }
    fs::write(stamp, from)?;
    Ok(files)
}

/// Cuts the module, where it is to be cut, and generates its glue.
fn bind(module: &Module, compiled: &Path, made: &Path) -> Result<()> {
    let (cut, files) = (made.join("cut"), made.join("files"));
    let mut whole = compiled.to_path_buf();
    if module.link.is_some() {
        run(command("wasm-split-cli").arg(compiled).arg(&cut).args(["--out-name", module.bin]))?;
        whole = cut.join(module.bin).with_extension("wasm");
        for name in names(&cut)?.iter().filter(|name| cut.join(name) != whole) {
            fs::rename(cut.join(name), files.join(name))?;
        }
    }
    // The files find each other's functions in the table that the linker exports.
    run(command("wasm-bindgen")
        .args([
            "--target",
            "web",
            "--no-typescript",
            "--keep-lld-exports",
            "--out-name",
            module.bin,
            "--out-dir",
        ])
        .arg(&files)
        .arg(whole))
}

/// Makes a file as small as it gets when it is compressed: alike functions, which have alike names, stand beside each
/// other, where the compressor sees them together, and none is taken apart into the one that calls it.
fn shrink(file: &Path) -> Result<()> {
    run(command("wasm-opt")
        .args(["-Oz", "--quiet", "--one-caller-inline-max-function-size=0", "--reorder-functions-by-name"])
        .args(FEATURES)
        .args(["--strip-debug", "--strip-producers"])
        .arg(file)
        .arg("-o")
        .arg(file))
}

/// Copies a module's files into the site, under names of their content there, in each other and in the page.
fn place(module: &Module, files: &Path, site: &Path) -> Result<()> {
    let mut names = names(files)?;
    for name in &names {
        fs::copy(files.join(name), site.join(name))?;
    }
    names.extend(module.starter.map(str::to_owned));
    rename(&names, site)
}

/// Gives files of the site names of their content, and tells them, and the page, the names of the others.
fn rename(names: &[String], site: &Path) -> Result<()> {
    let hash = hash(names.iter().map(|name| site.join(name)))?;
    let named = |name: &str| match name.rsplit_once('.') {
        Some((stem, ending)) => format!("{stem}-{hash:016x}.{ending}"),
        None => name.to_owned(),
    };
    let mut unnamed: Vec<&String> = names.iter().collect();
    let page = "index.html".to_owned();
    for teller in names.iter().filter(|name| name.ends_with(".js")).chain([&page]) {
        let path = site.join(teller);
        let mut text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        for name in names {
            if let Some(renamed) = tell(&text, name, &named(name)) {
                text = renamed;
                unnamed.retain(|unnamed| *unnamed != name);
            }
        }
        fs::write(&path, text)?;
    }
    ensure!(unnamed.is_empty(), "nothing in the site asks for {unnamed:?}");
    for name in names {
        fs::rename(site.join(name), site.join(named(name)))?;
    }
    Ok(())
}

/// The text with a file's new name wherever it asks for the file, if it does: `./NAME`, in quotes of any kind or in
/// none, as minified pages have it.
fn tell(text: &str, name: &str, new: &str) -> Option<String> {
    let old = format!("./{name}");
    let mut pieces = text.split(&old);
    let mut told = pieces.next()?.to_owned();
    let mut found = false;
    for piece in pieces {
        // In the glue, "NAME": is what the module calls it.
        let asks = piece.starts_with(['"', '\'', '`', ' ', '>']) && !piece.starts_with("\":");
        told += if asks { "./" } else { &old };
        told += if asks { new } else { "" };
        told += piece;
        found |= asks;
    }
    found.then_some(told)
}

/// The files of a folder, sorted.
fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// FNV-1a of the files' contents.
pub(crate) fn hash(files: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<u64> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        let file = file.as_ref();
        let bytes = fs::read(file).with_context(|| format!("{} must have been built", file.display()))?;
        for byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_and_the_page_agree_on_the_names() {
        let folder = env::temp_dir().join(format!("kwp-xtask-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        write("index.html", r#"<meta name="office" content="./office.js">"#);
        write("office.js", r#"import("./kwp-office.js"); new URL("./kwp-office_bg.wasm", x)"#);
        write("kwp-office.js", "new URL('kwp-office_bg.wasm', x)");
        write("kwp-office_bg.wasm", "module");
        let files = ["kwp-office.js", "kwp-office_bg.wasm", "office.js"].map(str::to_owned);
        rename(&files, &folder).unwrap();
        let page = fs::read_to_string(folder.join("index.html")).unwrap();
        let start = page.split('"').nth(3).unwrap().to_owned();
        let starter = fs::read_to_string(folder.join(&start)).unwrap();
        for name in starter.split('"').skip(1).step_by(2) {
            assert!(folder.join(name).exists(), "{name}");
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 4);
        assert!(rename(&files, &folder).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_that_nobody_asks_for_is_an_error() {
        let folder = env::temp_dir().join(format!("kwp-xtask-lost-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("index.html"), r#"<meta content="./kwp.js">"#).unwrap();
        fs::write(folder.join("kwp.js"), "").unwrap();
        fs::write(folder.join("chunk.wasm"), "").unwrap();
        let error = rename(&["chunk.wasm".to_owned(), "kwp.js".to_owned()], &folder).unwrap_err();
        assert!(error.to_string().contains("chunk.wasm"), "{error}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
