// Locates the C files and headers that go into every addon: ours in this package, Node's in node-api-headers.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the absolute path of a file of this package, whether this code runs from src or bundled in dist. */
export function packageFile(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, path))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`unplugin-kernel is not installed completely: ${path} is missing`);
    folder = parent;
  }
  return join(folder, path);
}

const nodeApi = (folder: string): string =>
  join(dirname(createRequire(import.meta.url).resolve("node-api-headers")), folder);

/** Returns the folder of node_api.h. */
export const nodeApiInclude = (): string => nodeApi("include");

/** Returns lists of the functions that node.exe has, for import libraries of Windows. */
export const nodeApiDefinitions = (): readonly string[] =>
  ["node_api.def", "js_native_api.def"].map((name) => join(nodeApi("def"), name));
