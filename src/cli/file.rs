//! Files that are named on the command line, and files that are written whole or not at all.

use std::{
    convert::Infallible,
    ffi::OsString,
    fs, io,
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

/// Writes a file: all of it, or the old one stays.
pub(super) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    // A link goes on pointing where it did.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.new", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let written = fs::write(&temporary, content).and_then(|()| {
        if let Ok(old) = fs::metadata(&path) {
            fs::set_permissions(&temporary, old.permissions())?;
        }
        fs::rename(&temporary, &path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}
