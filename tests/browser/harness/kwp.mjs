// The command line, for what a reader takes away from the page and runs again. KWP names the program;
// `cargo xtask test browser` builds it, by hand it is target/debug/kwp.

import { execFile } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const program = process.env.KWP || path.join(here, "../../../target/debug/kwp");

// Runs `kwp` with arguments; resolves to { code, stdout, stderr }. Events of a long run take some room.
export function kwp(...args) {
  return new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      if (error && typeof error.code !== "number") reject(error);
      else resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}
