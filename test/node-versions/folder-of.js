// Prints the folder of the executable of a version of Node, for a PATH: node test/node-versions/folder-of.js 20.19.0

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./install.js";

const [version] = process.argv.slice(2);
const { path, reason } = install(
  version,
  fileURLToPath(new URL(join("../../out", `node-${version}`), import.meta.url)),
);
if (path) console.log(dirname(path));
else {
  console.error(`Node ${version}: ${reason}`);
  process.exitCode = 1;
}
