// The engine as the page has it, in Node's WebAssembly. Prints `seconds digest`, the best of RUNS.
//
//     node pool.mjs MODULE.wasm RUNS

import { readFileSync } from "node:fs";
import { argv } from "node:process";

const module = new WebAssembly.Module(readFileSync(argv[2]));
// The library's page asks for a browser; nothing that runs here does.
const imports = {};
for (const { module: from, name } of WebAssembly.Module.imports(module)) {
  (imports[from] ??= {})[name] = () => {
    throw new Error(`${name} was called`);
  };
}
const { digest } = new WebAssembly.Instance(module, imports).exports;
let best = Infinity;
let answer;
for (let run = 0; run < Number(argv[3]); run += 1) {
  const started = performance.now();
  answer = BigInt.asUintN(64, digest());
  best = Math.min(best, performance.now() - started);
}
console.log(best / 1000, String(answer));
