import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { execa } from "execa";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createRunner, type Runner, type RunnerOptions } from "../../../src/native/runner/client.ts";
import type { Runnable, RunOutcome, WasmRunnable } from "../../../src/native/runner/protocol.ts";
import { inTurn } from "../../support/long.ts";
import { doubling, planted, preparedBy } from "./planted-wasm.ts";

const turn = inTurn(7);

const open: Runner[] = [];
afterEach(async () => {
  for (const runner of open.splice(0)) await runner.close();
});

function runnerFor(options: RunnerOptions = {}): Runner {
  const runner = createRunner({ exclusive: false, ...options });
  runner.setTask(doubling);
  open.push(runner);
  return runner;
}

const run = (runner: Runner, candidate: Runnable, incumbentNs: number | null = null): Promise<RunOutcome> =>
  runner.run({ candidate, incumbentNs });

const reasonOf = (outcome: RunOutcome): string => ("reason" in outcome ? outcome.reason : "");

const hasProc = existsSync("/proc/self/status");

/** Processes that run the worker and have this process as their parent. */
function workerPids(parent = process.pid): number[] {
  if (!hasProc) return [];
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && isWorkerOf(pid, parent));
}

function isWorkerOf(pid: number, parent: number): boolean {
  if (!existsSync(`/proc/${pid}/status`)) return false;
  try {
    const isChild = readFileSync(`/proc/${pid}/status`, "utf8").includes(`PPid:\t${parent}\n`);
    return isChild && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("dist/native/worker.js");
  } catch {
    return false;
  }
}

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

async function goneWithin(pid: number, ms: number): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += 20) {
    if (!isAlive(pid)) return true;
    await sleep(20);
  }
  return false;
}

describe("a candidate that takes what another kernel prepares", () => {
  it("is right if both are", async () => {
    expect(await run(runnerFor(), preparedBy(planted.right()))).toMatchObject({ kind: "ok" });
  });

  turn("is wrong if the preparation is, or leaves something out", async () => {
    for (const prepare of [planted.wrong(), planted.leavesTheLast()]) {
      expect(await run(runnerFor(), preparedBy(prepare))).toMatchObject({ kind: "wrong-result" });
    }
  });

  it("must leave it as it is", async () => {
    const outcome = await run(
      runnerFor(),
      preparedBy(planted.right(), "(f32.store offset=128 (i32.const 0) (f32.const 9))"),
    );
    expect(outcome).toEqual({ kind: "wrong-result", reason: "it wrote its input P" });
  });

  turn("fails as the preparation fails", async () => {
    expect(await run(runnerFor(), preparedBy(planted.traps()))).toMatchObject({ kind: "crashed" });
    expect(await run(runnerFor(), preparedBy(planted.notWasm()))).toMatchObject({ kind: "build-failed" });
    const outcome = await run(runnerFor({ deadlineMs: 500 }), preparedBy(planted.hangs()));
    expect(outcome).toEqual({ kind: "timed-out", deadlineMs: 500 });
  });
});

describe("a WASM candidate", () => {
  it("that is right gets several samples", async () => {
    const outcome = await run(runnerFor(), planted.right());
    expect(outcome.kind).toBe("ok");
    expect(outcome.kind === "ok" && outcome.samplesNs.length).toBe(5);
    // Others may have had the core in one of them.
    const least = outcome.kind === "ok" ? Math.min(...outcome.samplesNs) : 0;
    expect(least > 0 && least < 1e6).toBe(true);
  });

  it("may use relaxed SIMD, also where Node needs an option for it", async () => {
    expect(await run(runnerFor({ relaxedSimd: true }), planted.relaxed())).toMatchObject({ kind: "ok" });
  });

  it("waits for other runners of the machine, and they for it", async () => {
    const runners = [runnerFor({ exclusive: true }), runnerFor({ exclusive: true })];
    const outcomes = await Promise.all(runners.flatMap((runner) => [1, 2, 3].map(() => run(runner, planted.right()))));
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(6).fill("ok"));
  });

  turn("is not kept waiting by one that has many on their way", async () => {
    const [busy, late] = [runnerFor({ exclusive: true }), runnerFor({ exclusive: true })];
    await Promise.all([run(busy, planted.right()), run(late, planted.right())]);
    let left = 150;
    const many = Array.from({ length: left }, () => run(busy, planted.slow()).then(() => left--));
    expect(await run(late, planted.right())).toMatchObject({ kind: "ok" });
    expect(left).toBeGreaterThan(0);
    await Promise.all(many);
  });

  it("that is far slower than the incumbent is run once", async () => {
    const outcome = await run(runnerFor(), planted.slow(), 10);
    expect(outcome.kind === "ok" && outcome.samplesNs.length).toBe(1);
  });

  turn.each([
    [
      "wrong numbers",
      planted.wrong,
      "wrong-result",
      "C[0, 0] is -8.75, the reference gives -7 (8 of 8 elements differ)",
    ],
    ["NaN", planted.nan, "wrong-result", "C[0, 0] is NaN, the reference gives -7 (8 of 8 elements differ)"],
    [
      "an element left out",
      planted.leavesTheLast,
      "wrong-result",
      "C[1, 3] is not written, the reference gives 7 (1 of 8 elements differ)",
    ],
    ["a write to its input", planted.writesInput, "wrong-result", "it wrote its input A"],
    ["a trap", planted.traps, "crashed", "RuntimeError: unreachable"],
    ["a read outside memory", planted.readsOutside, "crashed", "RuntimeError: memory access out of bounds"],
    ["endless recursion", planted.recursesForEver, "crashed", "RangeError: Maximum call stack size exceeded"],
    ["no module", planted.notWasm, "build-failed", "CompileError: WebAssembly.Module(): expected magic word"],
    ["a parameter outside memory", planted.outsideMemory, "build-failed", "RangeError"],
    ["no exports", planted.nothingExported, "build-failed", "TypeError: the module does not export memory and run()"],
  ])("with %s is a value, and the next one runs", async (_, make, kind, reason) => {
    const runner = runnerFor();
    const outcome = await run(runner, make());
    expect(outcome.kind).toBe(kind);
    expect(reasonOf(outcome)).toContain(reason);
    expect((await run(runner, planted.right())).kind).toBe("ok");
  });

  turn("that hangs costs its deadline and its process", async () => {
    const runner = runnerFor({ deadlineMs: 1500 });
    expect((await run(runner, planted.right())).kind).toBe("ok");
    const before = workerPids();
    expect(await run(runner, planted.hangs())).toEqual({ kind: "timed-out", deadlineMs: 1500 });
    expect(before.filter(isAlive)).toEqual([]);
    expect((await run(runner, planted.right())).kind).toBe("ok");
  });
});

describe("candidates that are on their way together", () => {
  turn("are answered in their order, whatever one of them does to the process", async () => {
    const runner = runnerFor({ deadlineMs: 300 });
    const candidates = [planted.right(), planted.hangs(), planted.wrong(), planted.traps(), planted.right()];
    const order: number[] = [];
    const outcomes = await Promise.all(
      candidates.map(async (candidate, at) => {
        const outcome = await run(runner, candidate);
        order.push(at);
        return outcome.kind;
      }),
    );
    expect(outcomes).toEqual(["ok", "timed-out", "wrong-result", "crashed", "ok"]);
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  turn("are each held to the task that was there when they were asked for, in a fresh process too", async () => {
    const runner = runnerFor({ deadlineMs: 300 });
    const [expected] = doubling.expected;
    const other = { ...doubling, expected: [{ ...expected!, values: new Float32Array(8) }] };
    const hanging = run(runner, planted.hangs());
    const right = run(runner, planted.right());
    runner.setTask(other);
    const wrong = run(runner, planted.right());
    runner.setTask(doubling);
    const outcomes = await Promise.all([hanging, right, wrong, run(runner, planted.right())]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["timed-out", "ok", "wrong-result", "ok"]);
  });

  turn("have come in time if they came while this thread was busy", async () => {
    const runner = runnerFor({ deadlineMs: 200 });
    await run(runner, planted.right());
    const outcomes = [1, 2, 3].map(() => run(runner, planted.right()));
    const end = performance.now() + 300;
    while (performance.now() < end);
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(["ok", "ok", "ok"]);
  });

  it("are all given up by an abort", async () => {
    const controller = new AbortController();
    const runner = runnerFor({ signal: controller.signal });
    const outcomes = [planted.hangs(), planted.right()].map((candidate) => run(runner, candidate));
    setTimeout(() => controller.abort(new Error("stopped by the user")), 100);
    for (const outcome of outcomes) await expect(outcome).rejects.toThrow("stopped by the user");
  });
});

describe("sampling for a race", () => {
  turn("keeps candidates apart, and survives a crash of one", async () => {
    const runner = runnerFor({ deadlineMs: 500 });
    const [right, slow, hangs] = [planted.right(), planted.slow(), planted.hangs()];
    for (let round = 0; round < 3; round++) {
      const fast = await runner.sample(right);
      const late = await runner.sample(slow);
      expect(fast.kind === "ok" && late.kind === "ok" && late.samplesNs[0]! > 50 * fast.samplesNs[0]!).toBe(true);
    }
    expect((await runner.sample(hangs)).kind).toBe("timed-out");
    expect((await runner.sample(right)).kind).toBe("ok");
    runner.forget();
    expect((await runner.sample(slow)).kind).toBe("ok");
  });

  it("checks what it samples", async () => {
    expect((await runnerFor().sample(planted.wrong())).kind).toBe("wrong-result");
  });

  it("holds a candidate that brings bounds of its own to these", async () => {
    const runner = runnerFor();
    const [expected] = doubling.expected;
    const values = (expected!.values as Float32Array).map((value) => value + 0.25);
    runner.setTask({ ...doubling, expected: [{ ...expected!, values }] });
    const within = (absolute: number): Runnable => {
      return { ...planted.right(), bounds: [{ kind: "within", relative: 0, absolute }] };
    };
    expect((await run(runner, planted.right())).kind).toBe("wrong-result");
    expect((await run(runner, within(0.2))).kind).toBe("wrong-result");
    expect((await run(runner, within(0.3))).kind).toBe("ok");
  });

  it("does not take one candidate's place for another's after a task changed", async () => {
    const runner = runnerFor();
    const right = planted.right();
    await runner.sample(right);
    const [expected] = doubling.expected;
    runner.setTask({ ...doubling, expected: [{ ...expected!, values: new Float32Array(8) }] });
    expect((await runner.sample(right)).kind).toBe("wrong-result");
  });
});

describe.skipIf(!hasProc)(`no process is left${hasProc ? "" : " (needs /proc to look)"}`, () => {
  it("after close, and a closed runner says so", async () => {
    const runner = runnerFor();
    await run(runner, planted.right());
    expect(workerPids()).toHaveLength(1);
    await runner.close();
    await runner.close();
    expect(workerPids()).toEqual([]);
    await expect(run(runner, planted.right())).rejects.toThrow("the runner is closed");
  });

  it("after an abort in the middle of a candidate, nor a file", async () => {
    // One of its own: other tests use the machine's meanwhile.
    const folder = mkdtempSync(join(tmpdir(), "unplugin-kernel-test-"));
    vi.stubEnv("TMPDIR", folder);
    const controller = new AbortController();
    const runner = runnerFor({ signal: controller.signal, deadlineMs: 20_000 });
    await run(runner, planted.right());
    const [pid] = workerPids();
    const hanging = run(runner, planted.hangs());
    setTimeout(() => controller.abort(new Error("stopped by the user")), 100);
    await expect(hanging).rejects.toThrow("stopped by the user");
    expect(isAlive(pid!)).toBe(false);
    expect(workerPids()).toEqual([]);
    await expect(run(runner, planted.right())).rejects.toThrow("stopped by the user");
    expect(readdirSync(folder)).toEqual([]);
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it("before it begins, where the signal is aborted already", async () => {
    const runner = runnerFor({ signal: AbortSignal.abort(new Error("too late")) });
    await expect(run(runner, planted.right())).rejects.toThrow("too late");
    expect(workerPids()).toEqual([]);
  });

  turn.each(["idle", "hanging"])("when its parent is killed while it is %s", async (state) => {
    const directory = mkdtempSync(join(process.cwd(), "dist", "orphan-"));
    try {
      const script = join(directory, "parent.mjs");
      await build({
        stdin: {
          contents: `import { createRunner } from ${JSON.stringify(join(process.cwd(), "src/native/runner/client.ts"))};
            const [task, right, hangs] = JSON.parse(process.argv[2]);
            const bytes = (one) => ({ ...one, bytes: Uint8Array.from(one.bytes) });
            const floats = Float32Array.from(task.values);
            const runner = createRunner({ exclusive: false, deadlineMs: 60000, workerPath: process.argv[3] });
            runner.setTask({ ...task, inputs: [floats], expected: [{ values: floats.map((x) => 2 * x), bound: { kind: "exact" } }] });
            await runner.run({ candidate: bytes(right), incumbentNs: null });
            if (process.argv[4] === "hanging") void runner.run({ candidate: bytes(hangs), incumbentNs: null });
            setTimeout(() => console.log("ready"), 100);`,
          resolveDir: process.cwd(),
        },
        bundle: true,
        platform: "node",
        format: "esm",
        outfile: script,
        banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      });
      const plain = (candidate: WasmRunnable) => ({ ...candidate, bytes: [...candidate.bytes] });
      const task = { parameters: doubling.parameters, values: [...doubling.inputs[0]!] };
      const argument = JSON.stringify([task, plain(planted.right()), plain(planted.hangs())]);
      const worker = join(process.cwd(), "dist/native/worker.js");
      const parent = execa(process.execPath, [script, argument, worker, state], { reject: false });
      await new Promise((resolve) => parent.stdout?.once("data", resolve));
      const [pid] = workerPids(parent.pid);
      expect(pid).toBeGreaterThan(0);
      parent.kill("SIGKILL");
      await parent;
      expect(await goneWithin(pid!, 10_000)).toBe(true);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

it("an error of ours at one candidate is that candidate's alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "worker-"));
  const workerPath = join(folder, "worker.mjs");
  writeFileSync(
    workerPath,
    `process.on("message", ({ id }) => {
      if (id === 0) throw new Error("a bug");
      if (id) process.send({ kind: "begun", id }, () => process.send({ kind: "outcome", id, outcome: { kind: "ok", samplesNs: [1] } }));
    });
    process.send({ kind: "ready" });`,
  );
  const runner = runnerFor({ workerPath });
  const [first, second] = await Promise.allSettled([run(runner, planted.right()), run(runner, planted.right())]);
  expect(first).toMatchObject({
    status: "rejected",
    reason: { message: expect.stringContaining("the measuring process failed") },
  });
  expect(second).toMatchObject({ status: "fulfilled", value: { kind: "ok" } });
  rmSync(folder, { recursive: true });
});

it("a worker that is not there is an error, not a measurement", async () => {
  const runner = runnerFor({ workerPath: "/nowhere/worker.js" });
  await expect(run(runner, planted.right())).rejects.toThrow("did not start");
});
