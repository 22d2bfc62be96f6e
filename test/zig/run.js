// Installs zig from the registry into a folder of its own (86 MB to download, 395 MB on disk, removed afterwards) and runs
// the tests of compilers and of C with it. The versions and their integrity are those of package-lock.json beside this
// file. Where the registry cannot be reached it says so and skips. Arguments go to vitest.
//
//     npm run test:zig
//     ZIG_PROJECT=/folder/with/node_modules npm run test:zig

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const files = [
  "test/native/toolchain",
  "test/native/build.test.ts",
  "test/compiler/codegen/c",
  "test/property/oracle-chain.test.ts",
];

/** Null if it worked, else npm's words. */
function install(folder) {
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(here, name), join(folder, name));
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status, stderr, error } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (status === 0) return null;
  return error?.message ?? stderr.split("\n").find((line) => line.startsWith("npm error")) ?? "npm ci failed";
}

/** No network is a reason to skip; bytes other than those pinned are not. */
const isFailure = (reason) => /EINTEGRITY|EUSAGE/.test(reason);

function runTests(project) {
  const only = process.argv.slice(2);
  const { status } = spawnSync(process.execPath, [join(here, "../run.js"), ...(only.length > 0 ? only : files)], {
    stdio: "inherit",
    env: { ...process.env, ZIG_PROJECT: project, UNPLUGIN_KERNEL_COMPILER: "zig" },
  });
  return status ?? 1;
}

function inOwnFolder() {
  const folder = mkdtempSync(join(tmpdir(), "zig-for-tests-"));
  try {
    const reason = install(folder);
    if (reason === null) return runTests(folder);
    console.log(`${isFailure(reason) ? "failed" : "skipped"}: zig could not be installed: ${reason}`);
    return isFailure(reason) ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = process.env.ZIG_PROJECT ? runTests(process.env.ZIG_PROJECT) : inOwnFolder();
