// What a build costs where the lock has the kernel: the milliseconds that the plugin's own log counts, in processes that
// have loaded nothing before (the first kernel of a build), and of a second build in the same process.
//
//     npm run bench:hit
//     npm run bench:hit -- --runs 40

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const fixtures = join(dirname(fileURLToPath(import.meta.url)), "../../fixtures/apps");

/** Two builds in one process; each prints its summary line. */
const program = (host, entry, folder, mode) => `
  import { build } from ${JSON.stringify(join(fixtures, host, "build.js"))};
  const options = { root: ${JSON.stringify(folder)}, mode: "${mode}", cacheDir: "store", budget: { trials: 8 } };
  for (const out of ["first", "second"]) await build(${JSON.stringify(join(fixtures, "gemm", entry))}, out, options);
`;

/** The summary lines of the two builds. */
function summaries(host, entry, folder, mode) {
  const source = program(host, entry, folder, mode);
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", source], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return (stdout + stderr).split("\n").filter((line) => / compiler runs?, /.test(line));
}

function hitMs(line) {
  const found = /from kernels\.lock\.json, 0 measured, 0 compiler runs, ([\d.]+) ms$/.exec(line);
  if (!found) throw new Error(`not a hit: ${line}`);
  return Number(found[1]);
}

const sorted = (values) => values.toSorted((a, b) => a - b);
const spread = (values) => {
  const [low, ...rest] = sorted(values);
  return `median ${sorted(values)[values.length >> 1]} ms (${low} … ${rest.at(-1)})`;
};

const { values } = parseArgs({ options: { runs: { type: "string", default: "20" } } });
for (const [host, entry] of [
  ["rollup", "wasm.js"],
  ["esbuild", "wasm.js"],
]) {
  const folder = mkdtempSync(join(tmpdir(), "unplugin-kernel-hit-"));
  try {
    summaries(host, entry, folder, "tune");
    const runs = Array.from({ length: Number(values.runs) }, () => summaries(host, entry, folder, "tune").map(hitMs));
    console.log(`${host.padEnd(8)} first kernel of a process: ${spread(runs.map(([first]) => first))}`);
    console.log(`${" ".repeat(8)} the same in a later build:  ${spread(runs.map(([, second]) => second))}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
