// The test files of the suite in parts, each a folder: what is run at once and recorded in one line, so that an interrupted run goes on
// behind the last.

import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Tests of the parts that depend on Node's version: V8's compilation of WASM, the loading of addons and their threads,
 * workers, module hooks, child processes. All else is arithmetic in JavaScript, which does not depend on the version;
 * `candidates` compares it.
 */
export const engineFiles = [
  "test/api/constants.test.ts",
  "test/compiler/codegen/wasm",
  "test/e2e/register.test.ts",
  "test/native/addon.test.ts",
  "test/native/addon/build.test.ts",
  "test/native/load",
  "test/native/runner",
  "test/native/threads.test.ts",
  "test/native/wasm-threads.test.ts",
  "test/plugin/binding/async-workers.test.ts",
  "test/plugin/binding/binding.test.ts",
  "test/plugin/entries/loader.test.ts",
  "test/plugin/binding/memory.test.ts",
  "test/plugin/binding/packable.test.ts",
  "test/plugin/binding/wasm-threads.test.ts",
];

/** Folders that `npm test` does not run. */
const apart = new Set(["tools", "bench", "emulated"]);

function testFiles(root) {
  const folders = readdirSync(join(root, "test"), { withFileTypes: true });
  return folders.flatMap((entry) => {
    if (apart.has(entry.name)) return [];
    if (!entry.isDirectory()) return [`test/${entry.name}`];
    const inside = readdirSync(join(root, "test", entry.name), { recursive: true, encoding: "utf8" });
    return inside.map((path) => `test/${entry.name}/${path.replaceAll("\\", "/")}`);
  });
}

/** "test/tuner/search/score.test.ts" → "test/tuner/search" */
const folderOf = (file) => file.split("/").slice(0, -1).slice(0, 3).join("/");

/**
 * @param {readonly string[]} wanted paths or beginnings of paths; none: all
 * @returns {{ name: string, files: string[] }[]}
 */
export function partsOf(root, wanted) {
  const files = testFiles(root)
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => wanted.length === 0 || wanted.some((path) => file.startsWith(path)))
    .sort();
  const names = [...new Set(files.map(folderOf))];
  return names.map((name) => ({ name, files: files.filter((file) => folderOf(file) === name) }));
}
