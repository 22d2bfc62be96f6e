// Other versions of Node, where earlier runs of test:node-versions have left some in out/.

import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "../node-versions/install.js";

const out = join(dirname(fileURLToPath(import.meta.url)), "../../out");

/** Paths of executables of other major versions, one of each. */
export function otherNodes() {
  const own = process.versions.node.split(".")[0];
  const versions = (existsSync(out) ? readdirSync(out) : [])
    .filter((name) => /^node-\d/.test(name) && existsSync(join(out, name, "node_modules")))
    .map((name) => name.slice("node-".length))
    .filter((version) => version.split(".")[0] !== own);
  const newest = new Map(versions.sort().map((version) => [version.split(".")[0], version]));
  return [...newest.values()].flatMap((version) => install(version, join(out, `node-${version}`)).path ?? []);
}

/** Path of an executable of another major version; null: there is none here. */
export const otherNode = () => otherNodes()[0] ?? null;
