// A kernel's report: whether it was measured on this machine is one question, and for which machine its schedule was tuned another.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { codegenVersion, type TargetName } from "../../../src/compiler/index.ts";
import { hostTarget } from "../../../src/native/machine/machine.ts";
import type { KernelContext } from "../../../src/plugin/kernel/context/kernel-context.ts";
import { knownSchedule } from "../../../src/plugin/kernel/decision/known-schedule.ts";
import { kernelReport } from "../../../src/plugin/report/kernel-report.ts";
import { verdictOf } from "../../../src/plugin/report/page/verdict.ts";
import { limitsSource } from "../../../src/plugin/report/roof.ts";
import { targetClass } from "../../../src/tuner/data/key.ts";
import { updateLockfile } from "../../../src/tuner/lock/lockfile.ts";
import { openDatabase } from "../../../src/tuner/record/database.ts";
import { storedDecisions } from "../../../src/tuner/store/store-contents.ts";
import { writeApp } from "../../support/build-app.ts";
import { type CompileCase, compileIn, gemmText, machineWith } from "../../support/compile-app.ts";
import { inTurn } from "../../support/long.ts";
import { writePack } from "../../support/write-pack.ts";

const turn = inTurn(3);

const app = (): string => writeApp({ "src/gemm.op.ts": gemmText() });

async function contextOf(root: string, given: CompileCase): Promise<KernelContext> {
  let context: KernelContext | null = null;
  const change = (made: KernelContext): Partial<KernelContext> => {
    context = made;
    return { toolchain: async () => null };
  };
  await compileIn(root, { options: { mode: "predict" }, ...given, change });
  return context!;
}

const reportOf = (context: KernelContext) =>
  kernelReport(
    context,
    {
      database: openDatabase(join(mkdtempSync(join(tmpdir(), "report-")), "records.jsonl")),
      tunings: [],
      limits: limitsSource("never"),
    },
    null,
  );

/** Writes the predicted schedule into the lock, as one that was measured on `machine`. */
async function lockAs(root: string, target: TargetName, machine: string): Promise<void> {
  const context = await contextOf(root, { request: { target } });
  const { op, opDigest, parameters, lockName } = context;
  const { task, candidate, source } = await knownSchedule(context);
  const entry = {
    op: { name: op.name, digest: opDigest, parameters },
    target: task.target,
    numerics: "fast",
    threads: 1,
    codegen: codegenVersion,
    candidate,
    source,
    measured: { medianNs: 100, gflops: 20.48, machine, toolchain: "gcc 12.2.0 x86_64-linux-gnu 3f2a9c01", trials: 4 },
  } as const;
  await updateLockfile(join(root, "kernels.lock.json"), new Map([[lockName, entry]]));
}

const here = targetClass({ ...hostTarget("avx512"), threads: 1 });

turn.each([
  ["here", here, true],
  ["on another machine", here.replace(/l1=\d+/, "l1=1024"), false],
])("a kernel for another target of the ISA that was measured %s", async (_, machine, isHere) => {
  const root = app();
  await lockAs(root, "avx512", machine);
  const report = await reportOf(await contextOf(root, { request: { target: "avx512-bf16" } }));
  expect(report).toMatchObject({ origin: "same-isa", target: "avx512", tunedFor: null, measured: { isHere } });
  const elsewhere = /^Tuned on another machine/;
  if (!isHere) return expect(verdictOf(report)).toMatch(elsewhere);
  expect(verdictOf(report)).not.toMatch(elsewhere);
  expect(report.roof.source).not.toBe("its schedule is another machine's");
});

turn(
  "a kernel of a pack that was tuned for other caches was measured here, and its report says for which it was tuned",
  async () => {
    const origin = app();
    const machine = machineWith(24 * 1024);
    await compileIn(origin, { machine });
    const root = app();
    writePack(root, { name: "tuned", decisions: await storedDecisions(`${origin}/store`) });
    expect((await compileIn(root, { options: { packs: ["tuned"] } })).kernel.origin).toBe("pack");
    const report = await reportOf(await contextOf(root, {}));
    expect(report).toMatchObject({ origin: "lock", tunedFor: machine.caches, measured: { isHere: true } });
    expect(report.roof.source).not.toBe("its schedule is another machine's");
  },
);
