// Starts the page's second module, in a worker of its own: what reads scenarios and writes files.
//
// The page finds this file by <meta name="office" content="./office.js"> and starts it as a module worker, when it
// is first needed. What is asked before the module is there waits; when it cannot be loaded, every question is
// answered so:
//
//   { id, ok: false, unloaded: true, error: "a sentence" }
//
// When the site is built, this file and the two that it names get names of their own by content (xtask): the
// three must be of one build.
const early = [];
self.onmessage = (event) => early.push(event);
try {
  const { default: start } = await import("./kwp-office.js");
  await start({ module_or_path: new URL("./kwp-office_bg.wasm", import.meta.url) });
  // By now the module listens itself.
  for (const event of early) self.onmessage(event);
} catch (error) {
  console.error(error);
  const refuse = ({ data }) =>
    self.postMessage({
      id: data?.id,
      ok: false,
      unloaded: true,
      error: "This part of the page could not be loaded: the network failed, or a file of the page is missing.",
    });
  self.onmessage = refuse;
  early.forEach(refuse);
}
