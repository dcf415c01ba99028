//! A member, seen from outside: orders go in, what it says goes to the notebook, and it can be killed.

use std::{
    env,
    io::{BufRead, BufReader, Write as _},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    thread,
};

use keyed_worker_pool::ids::ConsumerId;
use rustix::process::{Pid, Signal, kill_process};

use super::{
    Trouble,
    member::Orders,
    notebook::{Entry, Notebook, Said},
    until,
};

/// A running member. It is killed when this is dropped.
pub struct Member {
    child: Child,
    orders: ChildStdin,
}

impl Member {
    /// Starts a process.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(orders: &Orders, id: ConsumerId, life: u32, notebook: &Notebook) -> Result<Member, Trouble> {
        let mut child = Command::new(program("member")?)
            .args(orders.to_arguments())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let orders = child.stdin.take().ok_or("no standard input")?;
        let output = child.stdout.take().ok_or("no standard output")?;
        let notebook = notebook.clone();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let said = Said::from_line(&line).unwrap_or(Said::Trouble(line));
                notebook.add(Entry { member: id, life, said });
            }
        });
        Ok(Member { child, orders })
    }

    /// Gives an order.
    ///
    /// # Errors
    /// If the process has ended.
    pub fn order(&mut self, order: &str) -> Result<(), Trouble> {
        Ok(writeln!(self.orders, "{order}")?)
    }

    /// Stops it, as if the machine had: nothing of it runs.
    ///
    /// # Errors
    /// If the process has ended.
    pub fn stop(&self) -> Result<(), Trouble> {
        self.signal(Signal::STOP)
    }

    /// Lets it go on, without knowing that it was away.
    ///
    /// # Errors
    /// If the process has ended.
    pub fn wake(&self) -> Result<(), Trouble> {
        self.signal(Signal::CONT)
    }

    /// Kills it, and waits until it is gone.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn kill(mut self) -> Result<(), Trouble> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Waits until it has ended by itself.
    ///
    /// # Errors
    /// If it does not, or ends badly.
    pub fn ends(mut self) -> Result<(), Trouble> {
        let status = until("a member to end", || Ok(self.child.try_wait()?))?;
        if status.success() { Ok(()) } else { Err(format!("a member ended with {status}").into()) }
    }

    fn signal(&self, signal: Signal) -> Result<(), Trouble> {
        Ok(kill_process(Pid::from_child(&self.child), signal)?)
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program of this package, which cargo builds beside this one.
///
/// # Errors
/// If it is not there.
pub fn program(name: &str) -> Result<PathBuf, Trouble> {
    let mut folder = env::current_exe()?;
    folder.pop();
    if folder.ends_with("deps") {
        folder.pop();
    }
    let program = folder.join(name);
    if program.is_file() { Ok(program) } else { Err(format!("{} is not built", program.display()).into()) }
}
