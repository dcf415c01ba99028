// A static server over the built site, on a free loopback port: any static host, but under a path of choice.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
  ".json": "application/json",
  ".csv": "text/csv; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

// Serves `folder` under `prefix` ("/" or "/some/path/") and nothing outside of it, so that an absolute address
// in the page is a 404 there. Resolves to { url, close }.
export async function serve(folder, prefix = "/") {
  const root = path.resolve(folder);
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const wanted = path.join(root, decodeURIComponent(pathname.slice(prefix.length)));
    const inside = pathname.startsWith(prefix) && (wanted === root || wanted.startsWith(root + path.sep));
    const file = await found(inside && wanted);
    if (!file) {
      response.writeHead(404).end("not found");
      return;
    }
    response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}${prefix}`, close };
}

async function found(file) {
  const status = file && (await stat(file).catch(() => null));
  if (status?.isDirectory()) return found(path.join(file, "index.html"));
  return status?.isFile() ? file : null;
}
