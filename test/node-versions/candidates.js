// The same seed, the same records and the same machine give the same candidates on every version of Node: tunes with one and compares
// with the Node that runs this.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";

function linesOf(executable, script) {
  const { status, stdout, stderr } = spawnSync(executable, [script], { encoding: "utf8", maxBuffer: 1e8 });
  if (status !== 0) throw new Error(`${executable} failed: ${stderr}`);
  return stdout.trim().split("\n");
}

/** Sequences that this Node finds, and a function that says which of them another one does not. */
export async function candidateSequences(root) {
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
  return {
    count: expected.length,
    otherOn(executable) {
      const lines = linesOf(executable, script);
      return expected.filter((line, at) => line !== lines[at]);
    },
  };
}
