//! Serves the built site on this machine, as a static host would.

use std::{
    fs,
    net::TcpListener,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context, Result, anyhow};
use tiny_http::{Header, Method, Request, Response, Server};

use crate::{
    build::{Site, build},
    process::say,
    sizes::gzip,
};

/// How many ports after the first are tried.
const PORTS: u16 = 20;

/// Builds the site and serves it until interrupted.
pub(crate) fn serve(site: &Site, first_port: u16) -> Result<()> {
    build(site)?;
    let listener = listen(first_port)?;
    let address = listener.local_addr()?;
    let server = Server::from_listener(listener, None).map_err(|error| anyhow!("{error}"))?;
    say(&format!("open http://{address}/ (Ctrl-C ends)"));
    for request in server.incoming_requests() {
        // A browser that goes away in the middle of an answer is no fault of the server's.
        let _ = answer(request, &site.folder());
    }
    Ok(())
}

fn listen(first: u16) -> Result<TcpListener> {
    (first..=first.saturating_add(PORTS))
        .find_map(|port| TcpListener::bind(("127.0.0.1", port)).ok())
        .with_context(|| format!("no free port from {first} on; name another with --port"))
}

fn answer(request: Request, folder: &Path) -> std::io::Result<()> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return request.respond(Response::from_string("only GET and HEAD\n").with_status_code(405));
    }
    let Some((path, bytes)) = find(folder, request.url()) else {
        return request.respond(Response::from_string("not found\n").with_status_code(404));
    };
    let zipped = request
        .headers()
        .iter()
        .any(|header| header.field.equiv("Accept-Encoding") && header.value.as_str().contains("gzip"));
    let bytes = if zipped { gzip(&bytes)? } else { bytes };
    let mut response = Response::from_data(bytes)
        .with_header(header("Content-Type", kind(&path)))
        .with_header(header("Cache-Control", "no-cache"));
    if zipped {
        response.add_header(header("Content-Encoding", "gzip"));
    }
    request.respond(response)
}

/// The file that an address names, if it is one inside the folder.
fn find(folder: &Path, url: &str) -> Option<(PathBuf, Vec<u8>)> {
    let path = url.split(['?', '#']).next()?.trim_start_matches('/');
    let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let mut path = inside.then(|| folder.join(path))?;
    if path.is_dir() {
        path.push("index.html");
    }
    fs::read(&path).ok().map(|bytes| (path, bytes))
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        Some("md") => "text/plain; charset=utf-8",
        Some("csv") => "text/csv; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("a constant header")
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn nothing_outside_the_folder_is_served() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        assert!(find(&folder, "/main.rs?x#y").is_some());
        assert!(find(&folder, "/../Cargo.toml").is_none());
        assert!(find(&folder, "//etc/passwd").is_none());
    }
}
