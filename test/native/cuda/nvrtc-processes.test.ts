// NVRTC in processes of its own: what it answers, refuses and dies of, and that a signal ends who compiles.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { type NvrtcOptions, nvrtcProcesses } from "../../../src/native/cuda/nvrtc-processes.ts";
import { packageFile } from "../../../src/native/machine/package-file.ts";
import { noCudaTools, nvrtcLibrary } from "../../compiler/cuda/tools.ts";
import { type FakeCuda, makeFakeCuda, noFakeGpu } from "../../support/cuda.ts";

const kernel = (name: string, text = ""): string =>
  `${text}\nextern "C" __global__ void __launch_bounds__(32) ${name}(float *a) { a[threadIdx.x] = 1.0f; }`;

// The package has to be found from there.
const program = join(dirname(packageFile("dist/native/nvrtc.js")), "../test/compiling-program.mjs");
beforeAll(async () => {
  await build({
    entryPoints: [packageFile("test/native/cuda/compiling-program.ts")],
    ...({ bundle: true, platform: "node", format: "esm", packages: "external" } as const),
    outfile: program,
  });
});

describe.skipIf(noFakeGpu !== null)(`with the compiler for tests${noFakeGpu ? ` (${noFakeGpu})` : ""}`, () => {
  let fake: FakeCuda;
  beforeAll(() => {
    fake = makeFakeCuda();
  });

  const compilerOf = (options: NvrtcOptions = {}) => {
    const { compile } = nvrtcProcesses(fake.nvrtc, { most: 1, lingerMs: 100, ...options });
    return async (text: string, signal?: AbortSignal) =>
      (await compile({ text, numerics: "fast" }, "sm_90", signal)).ptx;
  };

  test("one process compiles texts in their turn, and starts again when it has gone", async () => {
    const compile = compilerOf();
    const names = ["first", "second"];
    const texts = await Promise.all(names.map((name) => compile(kernel(name))));
    for (const [at, name] of names.entries()) expect(texts[at]).toContain(`.entry ${name}(`);
    await sleep(400);
    expect(await compile(kernel("third"))).toContain(".entry third(");
  });

  test("what it refuses and what it dies of costs that text alone", async () => {
    const compile = compilerOf();
    const told = await Promise.allSettled([
      compile("this is no C"),
      compile(kernel("crashes", "#error crash")),
      compile(kernel("compiles")),
    ]);
    expect(told).toEqual([
      { status: "rejected", reason: new Error("NVRTC: kernel.cu(1): error: this is not for the CPU") },
      { status: "rejected", reason: new Error("NVRTC: SIGABRT") },
      { status: "fulfilled", value: expect.stringContaining(".entry compiles(") },
    ]);
  });

  test("a compiler that waits for a further text keeps nobody waiting", () => {
    const { status } = spawnSync(process.execPath, [program, fake.nvrtc, "1"], { timeout: 30_000 });
    expect(status).toBe(0);
  });

  test("a text that takes too long, or is not wanted any more, is given up", async () => {
    const slow = kernel("slow", "#error sleep");
    const hasty = compilerOf({ longestMs: 500 });
    await expect(hasty(slow)).rejects.toThrow("NVRTC took longer than 500 ms");
    const work = new AbortController();
    const compile = compilerOf();
    const [stopped, waiting] = [compile(slow, work.signal), compile(kernel("waits"), work.signal)];
    const other = compile(kernel("goes_on"));
    setTimeout(() => work.abort(new Error("interrupted")), 200);
    await expect(stopped).rejects.toThrow("interrupted");
    await expect(waiting).rejects.toThrow("interrupted");
    expect(await other).toContain(".entry goes_on(");
    await expect(compile(slow, work.signal)).rejects.toThrow("interrupted");
  });
});

describe.skipIf(noCudaTools !== null)(`with NVRTC${noCudaTools ? ` (${noCudaTools})` : ""}`, () => {
  /** Processes that another has started. */
  const startedBy = (pid: number): readonly number[] =>
    execFileSync("ps", ["-e", "-o", "pid=,ppid="], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([own, parent]) => (parent === pid ? [own!] : []));

  const isThere = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  test.each(["SIGTERM", "SIGINT", "SIGKILL"] as const)("%s ends who compiles, and its compilers", async (signal) => {
    const child = spawn(process.execPath, [program, nvrtcLibrary], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    await expect.poll(() => startedBy(child.pid!), { timeout: 10_000 }).not.toEqual([]);
    const compilers = startedBy(child.pid!);
    await sleep(1000);
    child.kill(signal);
    const ended = await Promise.race([once(child, "exit"), sleep(5000).then(() => "it is still there")]);
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    expect(ended).toEqual([null, signal]);
    await expect.poll(() => compilers.filter(isThere), { timeout: 5000 }).toEqual([]);
  });
});
