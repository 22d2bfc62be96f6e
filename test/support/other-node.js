// Another version of Node, where an earlier run of test:node-versions has left one in out/.

import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "../node-versions/install.js";

const out = join(dirname(fileURLToPath(import.meta.url)), "../../out");

/** Path of an executable of another major version; null: there is none here. */
export function otherNode() {
  const own = process.versions.node.split(".")[0];
  const versions = (existsSync(out) ? readdirSync(out) : [])
    .filter((name) => /^node-\d/.test(name) && existsSync(join(out, name, "node_modules")))
    .map((name) => name.slice("node-".length))
    .filter((version) => version.split(".")[0] !== own);
  const [version] = versions;
  return version === undefined ? null : (install(version, join(out, `node-${version}`)).path ?? null);
}
