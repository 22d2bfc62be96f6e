// Runs on emulated ARM: calls each kernel of addons once on arrays that lie in a file, and writes the file with what they left there.
// node call-kernels.mjs calls.json memory.bin

import { readFileSync, writeFileSync } from "node:fs";

const [plan, memory] = process.argv.slice(2);
const { addons, calls } = JSON.parse(readFileSync(plan, "utf8"));
const bytes = readFileSync(memory);
const { buffer } = new Uint8Array(bytes);

const loaded = addons.map((path) => {
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
});
for (const { addon, index, arrays } of calls)
  loaded[addon].call(index, ...arrays.map(({ type, offset, length }) => new globalThis[type](buffer, offset, length)));
writeFileSync(memory, new Uint8Array(buffer));
