// Installs zig from the registry into a folder of its own (86 MB to download, 395 MB on disk, removed afterwards) and runs
// the tests of compilers, of C and of addons for Windows with it. The versions and their integrity are those of package-lock.json beside this
// file. Where the registry cannot be reached it says so and skips. Arguments go to vitest.
//
//     npm run test:zig
//     ZIG_PROJECT=/folder/with/node_modules npm run test:zig

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmRun, recordRun, resultOf } from "../support/record-run.js";

const here = dirname(fileURLToPath(import.meta.url));
const files = [
  "test/native/toolchain",
  "test/native/addon",
  "test/native/machine",
  "test/native/lanes.test.ts",
  "test/compiler/codegen/c",
  "test/property/oracle-chain.test.ts",
  "test/wine",
];

/** Null if it worked, else what npm said. */
function install(folder) {
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(here, name), join(folder, name));
  // `npm ci` wants the executables of all platforms in the lock file; this one checks the integrity just the same.
  const args = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status, stderr, error } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  // npm leaves out an optional package whose bytes are not those pinned, and ends well.
  const executable = join(folder, `node_modules/@zigc/${process.platform}-${process.arch}`);
  if (status === 0) return existsSync(executable) ? null : `${executable} was left out`;
  return error?.message ?? stderr.trim();
}

/** No network is a reason to skip; anything else, such as bytes other than those pinned, is not. */
const isOffline = (reason) => /ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|ERR_SOCKET/.test(reason);

function runTests(project) {
  const only = process.argv.slice(2);
  const { status } = spawnSync(process.execPath, [join(here, "../run.js"), ...(only.length > 0 ? only : files)], {
    stdio: "inherit",
    env: { ...process.env, TEST_LONG: "1", ZIG_PROJECT: project, UNPLUGIN_KERNEL_COMPILER: "zig" },
  });
  recordRun(npmRun("test:zig"), resultOf(status));
  return status ?? 1;
}

function inOwnFolder() {
  const folder = mkdtempSync(join(tmpdir(), "zig-for-tests-"));
  try {
    const reason = install(folder);
    if (reason === null) return runTests(folder);
    console.log(`${isOffline(reason) ? "skipped" : "failed"}: zig could not be installed: ${reason}`);
    return isOffline(reason) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = process.env.ZIG_PROJECT ? runTests(process.env.ZIG_PROJECT) : inOwnFolder();
