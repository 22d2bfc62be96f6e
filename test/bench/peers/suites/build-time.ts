// Time that the plugin adds to a build: its start, and kernels that the lock has, by the milliseconds of its own log,
// in fresh processes and in a second build of the same process; and the time of all of `vite build`.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withPrivateDirectory } from "../../../../src/native/file/private-directory.ts";
import { spreadOf } from "../contest.ts";
import type { Timed } from "../timing.ts";
import { apps, type Bundler, buildFile } from "./fixture-build.ts";

const runs = 20;

const startMs = 30;
const hitMs = 5;
const manyKernels = 30;
const manyMs = 150;

/** Output of a program in a process of its own. */
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

const oneKernel = join(apps, "gemm/wasm.js");

/** Two builds in one process; each prints its summary line. */
const twoBuilds = (bundler: Bundler, folder: string, entry = oneKernel): string => `
  import { build } from ${JSON.stringify(buildFile(bundler))};
  const options = { root: ${JSON.stringify(folder)}, mode: "tune", cacheDir: "store", budget: { trials: 8 } };
  for (const out of ["first", "second"]) await build(${JSON.stringify(entry)}, out, options);
`;

function hits(bundler: Bundler, folder: string, entry?: string): readonly number[] {
  const lines = printed(twoBuilds(bundler, folder, entry), folder)
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

/** Writes an app that imports `manyKernels` kernels of one operator. */
function manyImports(folder: string): string {
  const gemm = join(apps, "../ops/gemm.op.ts");
  const names = Array.from({ length: manyKernels }, (_, at) => `kernel${at}`);
  const imports = names.map(
    (name, at) => `import ${name} from ${JSON.stringify(`${gemm}?M=${8 + at}&N=16&K=16&tune=wasm`)};`,
  );
  const entry = join(folder, "many.js");
  writeFileSync(entry, `${imports.join("\n")}\nconsole.log([${names.join(", ")}].map(({ info }) => info.twin));\n`);
  return entry;
}

const measureMany = (bundler: Bundler): Promise<Timed> =>
  withPrivateDirectory(async (folder) => {
    const entry = manyImports(folder);
    printed(twoBuilds(bundler, folder, entry), folder);
    const first = times(runs, () => hits(bundler, folder, entry)[0]!);
    return { name: `${bundler}, ${manyKernels} kernels, locked`, unit: "ms", time: spreadOf(first), atMost: manyMs };
  });

/** A process that builds the demo's page for a server with Vite and prints what that took, its own start left out. */
const viteBuild = (folder: string, entry: string, hasPlugin: boolean): string => `
  import { build } from "vite";
  import kernel from "unplugin-kernel/vite";
  const options = { root: ${JSON.stringify(folder)}, mode: "tune", cacheDir: "store", logLevel: "silent", budget: { trials: 8 } };
  const begin = performance.now();
  await build({
    root: ${JSON.stringify(folder)}, configFile: false, logLevel: "silent", plugins: ${hasPlugin} ? [kernel(options)] : [],
    build: { ssr: ${JSON.stringify(entry)}, outDir: "out" },
  });
  console.log(performance.now() - begin);
`;

/** The same program without a kernel: its import is the operator. */
const measureVite = (): Promise<readonly Timed[]> =>
  withPrivateDirectory(async (folder) => {
    const write = (name: string, query: string): string => {
      const entry = join(folder, name);
      const report = join(apps, "gemm/report.js");
      const gemm = join(apps, "../ops/gemm.op.ts");
      writeFileSync(
        entry,
        `import gemm from ${JSON.stringify(gemm + query)};\nimport { report } from ${JSON.stringify(report)};\nreport(gemm);\n`,
      );
      return entry;
    };
    const [plain, tuned] = [write("plain.js", ""), write("tuned.js", "?tune=wasm")];
    const programs = [viteBuild(folder, plain, false), viteBuild(folder, tuned, true)];
    for (const program of programs) printed(program, apps);
    const pairs = Array.from({ length: runs }, () => programs.map((program) => Number(printed(program, apps))));
    return ["vite build, without the plugin", "vite build, with a locked kernel"].map((name, at) => ({
      name,
      unit: "ms",
      time: spreadOf(pairs.map((pair) => pair[at]!)),
      atMost: null,
    }));
  });

export async function measureBuilds(): Promise<readonly Timed[]> {
  const all: Timed[] = [...(await measureVite())];
  for (const bundler of ["rollup", "esbuild"] as const)
    all.push(measureStart(bundler), ...(await measureHits(bundler)), await measureMany(bundler));
  return all;
}
