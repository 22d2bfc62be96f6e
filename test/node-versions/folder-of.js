// Prints the folder of the executable of a version of Node, for a PATH: node test/node-versions/folder-of.js 20.19.0
// With a second word it is that of another platform, for an emulator: node test/node-versions/folder-of.js 20.20.2 linux-arm64

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./install.js";

const [version, platform] = process.argv.slice(2);
const { path, reason } = install(
  version,
  fileURLToPath(new URL(join("../../out", platform ? `node-${platform}` : `node-${version}`), import.meta.url)),
  platform,
);
if (path) console.log(dirname(path));
else {
  console.error(`Node ${version}: ${reason}`);
  process.exitCode = 1;
}
