// Other versions of Node, as npm has them: a package holds the executable of one platform.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const here = `${process.platform}-${process.arch}`;

/** npm's packages of Node's executables are named after the platform. */
const packageOf = (platform) => `node-${platform.replace(/^win32-/, "win-")}`;

/** The executable in the folder, some 45 MB to download where it is not there yet; or why there is none. `platform`: another one than this. */
export function install(version, folder, platform = here) {
  const packageName = packageOf(platform);
  const name = platform.startsWith("win32-") ? "node.exe" : "node";
  const path = join(folder, "node_modules", packageName, "bin", name);
  if (existsSync(path)) return { path };
  const args = [
    "install",
    `${packageName}@${version}`,
    "--prefix",
    folder,
    "--ignore-scripts",
    // npm refuses a package of another platform otherwise.
    ...(platform === here ? [] : ["--force"]),
    "--no-audit",
    "--no-fund",
  ];
  const { status, stderr } = spawnSync("npm", [...args, "--loglevel=error"], { encoding: "utf8" });
  return status === 0 ? { path } : { reason: stderr.trim() };
}
