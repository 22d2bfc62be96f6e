// Option `report`: the page that a build leaves, from a tuning of some candidates to its text.

import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "vite";
import { beforeAll, describe, expect, it } from "vitest";
import { compileKernel } from "../../../src/plugin/kernel/compile/compile-kernel.ts";
import type { KernelPluginOptions, Mode } from "../../../src/plugin/options/types.ts";
import { parseRequest } from "../../../src/plugin/request/request.ts";
import { createSession, type Session } from "../../../src/plugin/session/session.ts";
import { buildApp, writeApp } from "../../support/build-app.ts";
import { gemmText } from "../../support/compile-app.ts";
import { createKernelPlugin } from "../../support/kernel-plugin.ts";
import { inTurn } from "../../support/long.ts";
import { dataIn, kernelsIn } from "../../support/report-in-page.ts";

const turn = inTurn(7);

const fileName = "unplugin-kernel-report.html";

interface Build {
  readonly lines: readonly string[];
  readonly compile: (query: string, mode?: Mode) => ReturnType<Session["compile"]>;
  finish(): Promise<void>;
}

function startBuild(root: string, options: KernelPluginOptions = {}): Build {
  const lines: string[] = [];
  const given = {
    root,
    cacheDir: "store",
    mode: "tune",
    report: true,
    budget: { seconds: 600, trials: 8 },
    ...options,
  };
  const session = createSession(given as KernelPluginOptions, compileKernel);
  session.configure(root, { info: (line) => lines.push(line), warn: (line) => lines.push(`! ${line}`) });
  const path = join(root, "src/gemm.op.ts");
  return {
    lines,
    compile: (query, mode) => session.compile({ ...parseRequest(`./gemm.op.ts?${query}`)!, path }, mode),
    finish: () => session.finish(),
  };
}

const dataOf = (root: string, name = fileName) => dataIn(readFileSync(join(root, name), "utf8"));

describe("a build with schedules for engines", () => {
  turn(
    "has each beside the kernel's own, as the build has decided it, and the command line those of the lock",
    async () => {
      const root = writeApp({ "src/gemm.op.ts": gemmText() });
      const originsOf = () => kernelsIn(dataOf(root)).map(({ name, origin }) => [name.split("tune=")[1], origin]);
      const build = startBuild(root, { engines: ["x86", "arm"], budget: { seconds: 600, trials: 2 } });
      await build.compile("tune=wasm");
      await build.finish();
      const here = process.arch === "arm64" ? "wasm-arm" : "wasm-x86";
      const originOf = (target: string): string => (target === here ? "tuned" : "predicted");
      const engines = ["wasm-arm", "wasm-x86"].map((target) => [target, originOf(target)]);
      expect(originsOf()).toEqual([["wasm", "tuned"], ...engines]);
      const without = startBuild(root);
      await without.compile("tune=wasm");
      await without.finish();
      expect(originsOf()).toEqual([
        ["wasm", "lock"],
        [here, "lock"],
      ]);
    },
  );
});

describe("a build with a report", () => {
  let root: string;
  let build: Build;
  beforeAll(async () => {
    root = writeApp({ "src/gemm.op.ts": gemmText() });
    build = startBuild(root);
    await build.compile("tune=wasm");
    await build.compile("tune=wasm&M=16", "predict");
    await build.finish();
  });

  it("says where it is, once", () => {
    expect(build.lines.filter((line) => line.includes(fileName))).toEqual([`[unplugin-kernel] report: ${fileName}`]);
  });

  it("tells what was tuned and what was predicted", () => {
    const data = dataOf(root);
    expect(data).toMatchObject({ schema: 2, machine: { node: process.versions.node } });
    // By size: M is 8 in the tuned one.
    const [tuned, predicted] = kernelsIn(data);
    expect(predicted).toMatchObject({
      name: "src/gemm.op.ts?M=16&tune=wasm",
      parameters: { M: 16, N: 16, K: 8 },
      origin: "predicted",
      measured: null,
      candidates: [],
      tunings: [],
    });
    expect(predicted!.schedules).toMatchObject({ default: null, problem: null });
    expect(tuned).toMatchObject({
      name: "src/gemm.op.ts?tune=wasm",
      target: "wasm",
      origin: "tuned",
      twin: "relaxed SIMD, else SIMD128",
      flops: 2 * 8 * 16 * 8,
      bytes: 4 * (8 * 8 + 8 * 16 + 8 * 16),
    });
    expect(tuned!.expression).toContain("C[i, j] = sum(A[i, k] * B[k, j], k)");
  });

  it("has the tuning's candidates, its course and its times", () => {
    const tuned = kernelsIn(dataOf(root))[0]!;
    expect(tuned.candidates).toHaveLength(8);
    expect(tuned.measured).toMatchObject({ toolchain: "wasm", trials: 8, isHere: true });
    expect(tuned.candidates[tuned.winner!]!.ns).toBeGreaterThan(0);
    const [tuning] = tuned.tunings;
    expect(tuning).toMatchObject({ strategy: "default", ended: "budget", measured: 8 });
    const best = tuning!.improvements.at(-1)![2];
    expect(best).toBe(Math.min(...tuned.candidates.map(({ ns }) => ns ?? Number.POSITIVE_INFINITY)));
    const parts = Object.fromEntries(tuning!.timeSplit!.map(({ part, ms }) => [part, ms]));
    expect(parts.run).toBeGreaterThan(0);
    expect(parts.lowering).toBeGreaterThan(0);
    expect(Object.values(parts).reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(tuning!.elapsedMs! * 1.05);
  });

  it("shows the schedule that was locked, beside the default if that is another", () => {
    const { schedules, winner, default: predicted } = kernelsIn(dataOf(root))[0]!;
    const locked = JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8")).kernels[
      "src/gemm.op.ts?tune=wasm"
    ];
    const { chosen } = schedules;
    expect(chosen).toMatchObject({ template: locked.candidate.template, language: "WAT" });
    expect(chosen!.code.startsWith("(module")).toBe(true);
    expect(chosen!.nest).toContain("for ");
    expect(chosen!.steps.split("\n").length).toBeGreaterThan(3);
    if (schedules.default === null) expect(winner).toBe(predicted);
    else expect(schedules.default.decisions).not.toEqual(chosen!.decisions);
  });

  it("draws its roof from limits that were measured, and are kept", () => {
    const { roof, measured, candidates } = kernelsIn(dataOf(root))[0]!;
    expect(roof).toMatchObject({ source: "measured on one core", reading: { bytes: 4 * (8 * 8 + 8 * 16) } });
    expect(roof.gflops).toBeGreaterThan(0.5);
    expect(roof.reading!.speed).toBeGreaterThan(0.3);
    // Nothing is beyond it.
    for (const ns of [measured!.medianNs, ...candidates.map((it) => it.ns)])
      if (ns !== null) expect(roof.leastNs!).toBeLessThanOrEqual(ns);
  });

  turn("is the same page as long as nothing is new: nobody who watches it hears of it", async () => {
    // From here on the kernel is from the lock.
    const again = startBuild(root);
    await again.compile("tune=wasm");
    await again.finish();
    expect(kernelsIn(dataOf(root)).map(({ origin }) => origin)).toEqual(["lock"]);
    const before = statSync(join(root, fileName)).mtimeMs;
    await again.compile("tune=wasm");
    await again.finish();
    expect(statSync(join(root, fileName)).mtimeMs).toBe(before);
  });
});

turn("a kernel that a build tuned in one environment, and another has from the lock, was tuned", async () => {
  const root = writeApp({ "src/gemm.op.ts": gemmText() });
  const build = startBuild(root, { budget: { trials: 2 }, report: "out/kernels.html" });
  await build.compile("tune=wasm");
  await build.finish();
  await build.compile("tune=wasm");
  await build.finish();
  expect(kernelsIn(dataOf(root, "out/kernels.html")).map(({ origin }) => origin)).toEqual(["tuned"]);
});

turn("what is not known is said: no limits in a mode that measures nothing, another schedule's source", async () => {
  const root = writeApp({ "src/gemm.op.ts": gemmText() });
  const tuning = startBuild(root, { budget: { trials: 2 }, report: false });
  await tuning.compile("tune=wasm");
  await tuning.finish();
  expect(existsSync(join(root, fileName))).toBe(false);
  const lock = join(root, "kernels.lock.json");
  rmSync(join(root, "store/tunings.jsonl"));
  const frozen = startBuild(root, { mode: "frozen" });
  await frozen.compile("tune=wasm");
  writeFileSync(lock, readFileSync(lock, "utf8").replace(/"source": "[0-9a-f]{4}/, '"source": "0000'));
  await frozen.finish();
  const [kernel] = kernelsIn(dataOf(root));
  expect(kernel!.roof).toMatchObject({ gflops: null, reading: null, source: "a build in this mode measures nothing" });
  expect(kernel!.schedules).toMatchObject({ chosen: null, default: null });
  expect(kernel!.schedules.problem).toContain("unplugin-kernel verify");
  expect(kernel!.tunings).toMatchObject([{ strategy: null, measured: 2, elapsedMs: null, timeSplit: null }]);
});

turn("a report that cannot be written costs a warning, an operator that fails its place in it", async () => {
  const root = writeApp({ "src/gemm.op.ts": gemmText() });
  const build = startBuild(root, { mode: "predict", report: "src" });
  await build.compile("tune=wasm");
  await build.finish();
  expect(build.lines.at(-1)).toMatch(/^! \[unplugin-kernel\] no report: EISDIR/);
  const later = startBuild(root, { mode: "predict" });
  await later.compile("tune=wasm");
  writeFileSync(join(root, "src/gemm.op.ts"), "export default 1;");
  await later.finish();
  expect(dataOf(root).kernels).toMatchObject([{ kind: "failed", name: "src/gemm.op.ts?tune=wasm" }]);
});

turn.each(["rollup", "vite", "esbuild", "webpack"] as const)("%s: it is there when the build ends", async (host) => {
  const files = { "src/main.js": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n' };
  const root = writeApp({ ...files, "src/gemm.op.ts": gemmText() });
  await buildApp(host, root, compileKernel, { mode: "predict", cacheDir: "store", report: true });
  expect(kernelsIn(dataOf(root))).toMatchObject([{ name: "src/gemm.op.ts?tune=wasm", origin: "predicted" }]);
});

it("a dev server that is closed writes none", async () => {
  const root = writeApp({ "src/gemm.op.ts": gemmText() });
  const server = await createServer({
    root,
    configFile: false,
    logLevel: "silent",
    server: { middlewareMode: true, ws: false },
    plugins: [createKernelPlugin(compileKernel).vite({ mode: "predict", cacheDir: "store", report: true })],
  });
  await server.environments.ssr.pluginContainer.load(`${join(root, "src/gemm.op.ts")}?tune=wasm`);
  await server.close();
  expect(existsSync(join(root, fileName))).toBe(false);
});
