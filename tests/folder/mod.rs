//! A folder for files of a test.

#![allow(unreachable_pub, reason = "a module shared by test binaries")]

use std::{fs, path::PathBuf};

/// A folder that is gone after the test.
pub struct Folder(pub PathBuf);

impl Folder {
    /// A new one; `name` is the test's own.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("kwp-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).expect("a temporary file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
