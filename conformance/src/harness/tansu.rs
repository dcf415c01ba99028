//! Tansu, started on a free port of this machine. `cargo xtask` fetches it; without it there is none.

use std::{
    env,
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use super::{Trouble, until};

/// A broker, until it is dropped.
pub struct Tansu {
    child: Child,
    address: String,
}

impl Tansu {
    /// Starts one that keeps everything in memory; `None` if there is no program.
    ///
    /// # Errors
    /// If there is one and it does not start.
    pub fn start() -> Result<Option<Tansu>, Trouble> {
        let Some(program) = program() else { return Ok(None) };
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let (address, url) = (format!("127.0.0.1:{port}"), format!("tcp://127.0.0.1:{port}"));
        let child = Command::new(program)
            .args(["broker", "--listener-url", &url, "--advertised-listener-url", &url])
            .args(["--storage-engine", "memory://tansu/"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut tansu = Tansu { child, address };
        until("Tansu to listen", || {
            if let Some(status) = tansu.child.try_wait()? {
                return Err(format!("Tansu has ended ({status})").into());
            }
            Ok(TcpStream::connect(&tansu.address).ok())
        })?;
        Ok(Some(tansu))
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Tansu {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program: what `TANSU` names, or what xtask has fetched.
#[must_use]
pub fn program() -> Option<PathBuf> {
    let named = env::var_os("TANSU").map(PathBuf::from);
    let fetched = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/tools/bin/tansu");
    named.or(Some(fetched)).filter(|program| program.is_file())
}
