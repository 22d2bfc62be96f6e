// The same seed, the same records and the same machine give the same candidates on every version of Node: installs the
// versions below from the registry into a folder of its own (some 45 MB each, removed afterwards), tunes with each, and
// compares with the Node that runs this. Where the registry cannot be reached it says so and skips.
//
//     npm run test:node-versions

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { install } from "./install.js";

const versions = ["20.19.5", "22.23.3", "24.21.0"];
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

const isOffline = (reason) => /ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|ERR_SOCKET/.test(reason);

function linesOf(executable, script) {
  const { status, stdout, stderr } = spawnSync(executable, [script], { encoding: "utf8", maxBuffer: 1e8 });
  if (status !== 0) throw new Error(`${executable} failed: ${stderr}`);
  return stdout.trim().split("\n");
}

/** 0: equal or skipped, 1: another sequence. */
function compare(version, folder, script, expected) {
  const { path, reason } = install(version, join(folder, version));
  if (!path) {
    console.log(`Node ${version}: ${isOffline(reason) ? "skipped" : "failed"}: ${reason}`);
    return isOffline(reason) ? 0 : 1;
  }
  const lines = linesOf(path, script);
  const other = expected.filter((line, at) => line !== lines[at]);
  const said = other.length === 0 ? `the same ${expected.length} sequences` : `other candidates in ${other.length}`;
  console.log([`Node ${version}: ${said}`, ...other.map((line) => `  ${line}`)].join("\n"));
  return other.length === 0 ? 0 : 1;
}

const folder = mkdtempSync(join(tmpdir(), "node-versions-"));
try {
  const script = join(root, "dist/test/sequence.mjs");
  await build({
    entryPoints: [join(root, "test/node-versions/sequence.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile: script,
    logLevel: "warning",
  });
  const expected = linesOf(process.execPath, script);
  console.log(`Node ${process.versions.node}: ${expected.length} sequences`);
  const failures = versions.map((version) => compare(version, folder, script, expected));
  process.exitCode = Math.max(...failures);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
