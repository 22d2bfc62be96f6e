// What the plugin adds to a build: its start, and a kernel that the lock has, by the milliseconds that its own log counts, in
// processes that have loaded nothing before and in a second build of the same process.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { withPrivateDirectory } from "../../../../src/native/private-directory.ts";
import { spreadOf } from "../contest.ts";
import type { Timed } from "../timing.ts";
import { apps, type Bundler, buildFile } from "./fixture-build.ts";

const runs = 20;

const startMs = 30;
const hitMs = 5;

/** What a program of its own prints. */
function printed(program: string, cwd: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout + stderr;
}

const times = (count: number, measure: () => number): number[] => Array.from({ length: count }, measure);

function measureStart(bundler: Bundler): Timed {
  const program = `
    const begin = performance.now();
    const { default: kernel } = await import("unplugin-kernel/${bundler}");
    kernel();
    console.log(performance.now() - begin);
  `;
  const time = spreadOf(times(runs, () => Number(printed(program, apps))));
  return { name: `${bundler}, the plugin is loaded`, unit: "ms", time, atMost: startMs };
}

/** Two builds in one process; each prints its summary line. */
const twoBuilds = (bundler: Bundler, folder: string): string => `
  import { build } from ${JSON.stringify(buildFile(bundler))};
  const options = { root: ${JSON.stringify(folder)}, mode: "tune", cacheDir: "store", budget: { trials: 8 } };
  for (const out of ["first", "second"]) await build(${JSON.stringify(join(apps, "gemm/wasm.js"))}, out, options);
`;

function hits(bundler: Bundler, folder: string): readonly number[] {
  const lines = printed(twoBuilds(bundler, folder), folder)
    .split("\n")
    .filter((line) => / compiler runs?, /.test(line));
  return lines.map((line) => {
    const found = /from kernels\.lock\.json, 0 measured, 0 compiler runs, ([\d.]+) ms$/.exec(line);
    if (!found) throw new Error(`not a hit: ${line}`);
    return Number(found[1]);
  });
}

const measureHits = (bundler: Bundler): Promise<readonly Timed[]> =>
  withPrivateDirectory(async (folder) => {
    // The first build tunes and writes the lock.
    printed(twoBuilds(bundler, folder), folder);
    const pairs = Array.from({ length: runs }, () => hits(bundler, folder));
    const nth = (at: number): Timed["time"] => spreadOf(pairs.map((pair) => pair[at]!));
    return [
      { name: `${bundler}, first kernel of a process, locked`, unit: "ms", time: nth(0), atMost: null },
      { name: `${bundler}, the same in a later build`, unit: "ms", time: nth(1), atMost: hitMs },
    ];
  });

export async function measureBuilds(): Promise<readonly Timed[]> {
  const all: Timed[] = [];
  for (const bundler of ["rollup", "esbuild"] as const)
    all.push(measureStart(bundler), ...(await measureHits(bundler)));
  return all;
}
