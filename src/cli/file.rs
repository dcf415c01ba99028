//! Files that are named on the command line, and files that are written whole or not at all.

use std::{
    convert::Infallible,
    ffi::OsString,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    str::FromStr,
};

/// A scenario as it is named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// `-`.
    Stdin,
    /// A file or a folder.
    Path(PathBuf),
}

impl From<OsString> for Given {
    fn from(text: OsString) -> Given {
        if text == "-" { Given::Stdin } else { Given::Path(text.into()) }
    }
}

impl FromStr for Given {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Given, Infallible> {
        Ok(OsString::from(text).into())
    }
}

/// Writes a file: all of it, or the old one stays. An old one keeps its permissions, and its owner where that
/// may be set; one that may not be written is left alone, although its folder would allow to replace it.
pub(super) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let Beginning { path, old, temporary, mut file } = begin(path)?;
    let written = file.write_all(content).and_then(|()| {
        if let Some(old) = old {
            keep_owner(&temporary, &old);
            fs::set_permissions(&temporary, old.permissions())?;
        }
        fs::rename(&temporary, &path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Whether [`replace`] would come to write this file, as things stand: to be asked before long work whose result
/// goes there.
pub(super) fn is_replaceable(path: &Path) -> io::Result<()> {
    fs::remove_file(begin(path)?.temporary)
}

/// Whether two paths name one file, which need not be there.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")));
        fs::canonicalize(path).or(folder.map(|folder| folder.join(path.file_name().unwrap_or_default())))
    };
    matches!((place(one), place(other)), (Ok(one), Ok(other)) if one == other)
}

/// A file that is about to be replaced.
struct Beginning {
    path: PathBuf,
    old: Option<fs::Metadata>,
    /// Beside it, and still empty.
    temporary: PathBuf,
    file: fs::File,
}

fn begin(path: &Path) -> io::Result<Beginning> {
    // A link goes on pointing where it did.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = match fs::metadata(&path) {
        Ok(old) if !old.is_file() => return Err(io::Error::other("it is not a regular file")),
        Ok(old) if old.permissions().readonly() => return Err(io::Error::other("it is read-only")),
        Ok(old) => {
            // Whoever may not write into it may not replace it either.
            fs::OpenOptions::new().write(true).open(&path)?;
            Some(old)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.new", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let file = fs::File::create_new(&temporary)?;
    Ok(Beginning { path, old, temporary, file })
}

/// Not everybody may give files away; then the new one is the writer's.
#[cfg(unix)]
fn keep_owner(path: &Path, old: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, chown};
    if chown(path, Some(old.uid()), Some(old.gid())).is_err() {
        let _ = chown(path, None, Some(old.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &fs::Metadata) {}
