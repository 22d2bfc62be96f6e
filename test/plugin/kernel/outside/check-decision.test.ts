// Decisions from outside against what was measured here: the kernels are raced, and what they claim counts for nothing.

import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { factsOf } from "../../../../src/compiler/index.ts";
import { detectToolchains } from "../../../../src/native/toolchain/detect.ts";
import { type KernelContext, kernelContext } from "../../../../src/plugin/kernel/context/kernel-context.ts";
import type { KernelRequest } from "../../../../src/plugin/kernel/kernel-request.ts";
import { checkDecision, compareDecision } from "../../../../src/plugin/kernel/outside/check-decision.ts";
import { predictSchedule } from "../../../../src/plugin/kernel/source/predict-schedule.ts";
import { rescheduled } from "../../../../src/plugin/kernel/source/schedule-source.ts";
import { resolveOptions } from "../../../../src/plugin/options/options.ts";
import { targetClass } from "../../../../src/tuner/data/key.ts";
import type { Candidate } from "../../../../src/tuner/data/space.ts";
import { race } from "../../../../src/tuner/measure/race.ts";
import { summarize } from "../../../../src/tuner/measure/statistics.ts";
import { openDatabase } from "../../../../src/tuner/record/database.ts";
import type { SharedDecision } from "../../../../src/tuner/store/exchange.ts";
import { createWorkbench } from "../../../../src/tuner/workbench/workbench.ts";
import { writeApp } from "../../../support/build-app.ts";
import { buildTunings, compileIn } from "../../../support/compile-app.ts";

const operator = `
import { gemm } from "unplugin-kernel/ops";
export default gemm({ M: 64, N: 64, K: 64 });
`;

const hasCompiler = (await detectToolchains()).length > 0;
const budget = { seconds: 600, trials: 16 };
let root = "";
let context: KernelContext;
/** Fastest and slowest candidate that a search has measured. */
let fast: Candidate;
let slow: Candidate;
let fastNs = 0;
let slowNs = 0;
beforeAll(async () => {
  root = writeApp({ "src/gemm.op.ts": operator });
  await compileIn(root, { request: { budget } });
  const query = { task: null, targetClass: null };
  const timed = openDatabase(join(root, "store/records.jsonl"))
    .records(query)
    .flatMap(({ candidate, measurement }) =>
      measurement.kind === "ok" ? [{ candidate, ns: measurement.timing.minNs }] : [],
    )
    .sort((left, right) => left.ns - right.ns);
  ({ candidate: fast, ns: fastNs } = timed[0]!);
  ({ candidate: slow, ns: slowNs } = timed.at(-1)!);
  context = await contextFor("wasm");
});

/** Context of the kernel in a build of its own. */
function contextFor(target: "wasm" | "avx2"): Promise<KernelContext> {
  const log = { debug: () => {}, info: () => {}, warn: () => {} };
  const options = resolveOptions({ root, cacheDir: "store", mode: "tune" }, root, {});
  const request: KernelRequest = {
    opFile: join(root, "src/gemm.op.ts"),
    target,
    parameters: {},
    fallback: "wasm",
    threads: 1,
    numerics: "fast",
    mode: "tune",
    budget,
  };
  return kernelContext(request, { options, log, signal: new AbortController().signal, tunings: buildTunings() });
}

/** Decision of a candidate that claims a time. */
function claiming(candidate: Candidate, medianNs: number): SharedDecision {
  const { task, key } = context;
  const gflops = factsOf(task.op).flops / medianNs;
  const place = { machine: targetClass(task.target), toolchain: "wasm" };
  return {
    key,
    candidate,
    source: rescheduled(task, candidate).source,
    measured: { medianNs, gflops, ...place, trials: 4321 },
  };
}

test("what is taken has this machine's measurement, not the one that it came with", async () => {
  const checked = await checkDecision(context, claiming(fast, fastNs * 50));
  expect(checked).toMatchObject({
    kind: "taken",
    measured: { machine: targetClass(context.task.target), toolchain: "wasm", trials: 1 },
  });
  if (checked.kind !== "taken" || !checked.measured) return;
  const { medianNs, gflops } = checked.measured;
  expect(medianNs).toBeLessThan(fastNs * 25);
  expect(gflops * medianNs).toBeCloseTo(factsOf(context.task.op).flops, 3);
});

/** Context where the local kernel and the other take these times, whichever they are: the machine that tests is busy. */
const taking = (localNs: number, otherNs: number): KernelContext => ({
  ...context,
  workbench: (options) => ({
    ...createWorkbench(options),
    async *measure(sources) {
      for (const _ of sources) yield { kind: "ok", timing: summarize([otherNs]) };
      return undefined;
    },
    async race(sources) {
      expect(sources).toHaveLength(2);
      const { winner, runnerUp, timings } = await race(2, async (entrant) => [localNs, otherNs][entrant]!);
      return { winner, runnerUp, timing: timings[winner]! };
    },
  }),
});

describe("against what is here", () => {
  test.each<[string, number, number]>([
    ["a slower one", 1000, 2000],
    ["one that is as fast", 1000, 1000],
    ["one that is hardly faster", 1000, 995],
  ])("%s is not taken, however fast it claims to be", async (_, localNs, otherNs) => {
    const decision = claiming(slow, fastNs * 0.5);
    const compared = await compareDecision(taking(localNs, otherNs), decision, claiming(fast, fastNs));
    expect(compared).toEqual({ kind: "kept", why: "it is not measurably faster here than what is here" });
  });

  test("a faster one is taken with its time here, however slow it claims to be", async () => {
    const decision = claiming(slow, slowNs * 50);
    const compared = await compareDecision(taking(2000, 1000), decision, claiming(fast, fastNs * 0.5));
    expect(compared).toMatchObject({ kind: "taken", measured: { medianNs: 1000, gflops: (2 * 64 ** 3) / 1000 } });
  });

  test("both are raced for real", async () => {
    const compared = await compareDecision(context, claiming(slow, slowNs), claiming(fast, fastNs));
    expect(["kept", "taken"]).toContain(compared.kind);
  });

  test("the same kernel is not measured again", async () => {
    const planted = { ...context, workbench: () => Promise.reject(new Error("it was measured")) };
    expect(await compareDecision(planted, claiming(fast, 1e6), claiming(fast, 2e6))).toEqual({
      kind: "kept",
      why: "it is what is here",
    });
  });

  test("what is here counts for nothing where it leads to no kernel any more", async () => {
    const local = { ...claiming(fast, 1), source: "0".repeat(64) };
    expect(await compareDecision(context, claiming(slow, slowNs), local)).toMatchObject({ kind: "taken" });
  });
});

describe("is refused", () => {
  test("where its claim is impossible, before anything is run", async () => {
    const planted = { ...context, workbench: () => Promise.reject(new Error("it was run")) };
    expect(await checkDecision(planted, claiming(fast, 1))).toEqual({
      kind: "refused",
      why: expect.stringMatching(/^no machine is so fast: it claims 1 ns/),
    });
  });

  test("where it does not end in time: nobody has seen its result", async () => {
    const planted: KernelContext = {
      ...context,
      workbench: (options) => ({
        ...createWorkbench(options),
        async *measure() {
          yield { kind: "timed-out", deadlineMs: 3000 };
          return undefined;
        },
      }),
    };
    expect(await checkDecision(planted, claiming(fast, fastNs))).toEqual({
      kind: "refused",
      why: "it cannot be checked here: it did not come back within 3 s",
    });
  });

  test("where this machine can neither run nor build it", async () => {
    const { context, decision } = await unrun();
    expect(await checkDecision({ ...context, toolchain: async () => null }, decision)).toEqual({
      kind: "refused",
      why: `it cannot be checked here: ${lacking}, and there is no compiler`,
    });
  });
});

const lacking = "this CPU has no avx, avx2, f16c, fma";

/** A decision for a CPU that is not this one. */
async function unrun(): Promise<{ readonly context: KernelContext; readonly decision: SharedDecision }> {
  const native = await contextFor("avx2");
  const { candidate, source } = await predictSchedule(native, native.task);
  const machine = targetClass(native.task.target);
  const { measured } = claiming(fast, fastNs);
  const toolchain = "gcc 12.2.0 x86_64-linux-gnu 3f2a9c01";
  const decision = { key: native.key, candidate, source, measured: { ...measured, machine, toolchain } };
  return { context: { ...native, whyNotHere: lacking }, decision };
}

describe.skipIf(!hasCompiler)(`what this machine cannot run${hasCompiler ? "" : " (needs gcc or clang)"}`, () => {
  test("is taken without a time where it can be built", async () => {
    const { context, decision } = await unrun();
    expect(await checkDecision(context, decision)).toMatchObject({ kind: "taken", measured: null });
  });

  test("is refused where the compiler refuses it", async () => {
    const { context, decision } = await unrun();
    const broken = async () => ({ ...(await context.toolchain())!, path: process.execPath, identity: "gcc 0" });
    const checked = await checkDecision({ ...context, toolchain: broken }, decision);
    expect(checked).toMatchObject({ kind: "refused" });
  });
});
