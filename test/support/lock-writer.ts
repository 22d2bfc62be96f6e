// A process that writes entries of its own into a lock file, one after the other: node lock-writer.mjs <tag> <file> <count>.
// It says what could not be written.

import { readLockfile, updateLockfile } from "../../src/tuner/lock/lockfile.ts";

const [tag = "", file = "", count = "1"] = process.argv.slice(2);
const content = await readLockfile("fixtures/apps/image-filter/kernels.lock.json");
if (content.kind !== "ok") throw new Error(content.diagnostic.message);
const [entry] = content.entries.values();
for (let at = 0; at < Number(count); at++) {
  const problem = await updateLockfile(file, new Map([[`src/${tag}${at}.op.ts?tune=wasm`, entry!]]));
  if (problem) console.log(problem.message);
}
