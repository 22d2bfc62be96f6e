// Other versions of Node, as npm has them: a package holds the executable of one platform.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** npm's packages of Node's executables are named after the platform. */
const packageName = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

/** The executable in the folder, some 45 MB to download where it is not there yet; or why there is none. */
export function install(version, folder) {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const path = join(folder, "node_modules", packageName, "bin", name);
  if (existsSync(path)) return { path };
  const args = [
    "install",
    `${packageName}@${version}`,
    "--prefix",
    folder,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
  ];
  const { status, stderr } = spawnSync("npm", [...args, "--loglevel=error"], { encoding: "utf8" });
  return status === 0 ? { path } : { reason: stderr.trim() };
}
