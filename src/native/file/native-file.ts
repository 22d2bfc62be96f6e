// Locates Node's own files that go into every addon, in node-api-headers.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const nodeApi = (folder: string): string =>
  join(dirname(createRequire(import.meta.url).resolve("node-api-headers")), folder);

/** Returns the folder of node_api.h. */
export const nodeApiInclude = (): string => nodeApi("include");

/** Returns lists of the functions that node.exe has, for import libraries of Windows. */
export const nodeApiDefinitions = (): readonly string[] =>
  ["node_api.def", "js_native_api.def"].map((name) => join(nodeApi("def"), name));
