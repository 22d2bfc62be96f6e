// Ctrl-C and kill -9 in the middle of a tuning: no process, no directory and no torn file is left, and the next build goes
// on from what was measured.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, vi } from "vitest";
import { detectToolchains } from "../../src/native/toolchain/detect.ts";
import { parseRecords } from "../../src/tuner/record/database.ts";
import { writeApp } from "../support/build-app.ts";
import { childScript } from "../support/child-script.ts";
import { compileIn, gemmText } from "../support/compile-app.ts";
import { eventually } from "../support/eventually.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(4);

const hasProc = existsSync("/proc/self/status");
const hasCompiler = (await detectToolchains()).length > 0;

let script = "";
beforeAll(async () => {
  script = await childScript("interrupt");
});

const started: ChildProcess[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

interface Running {
  readonly root: string;
  /** The temporary directory of the build. */
  readonly temporary: string;
  readonly child: ChildProcess;
}

/** A build that has measured some candidates and is busy with others. */
async function startTuning(target: string): Promise<Running> {
  const main = `import gemm from "./gemm.op.ts?tune=${target}&M=96&N=96&K=96"; gemm();`;
  const running = start(main, []);
  await eventually(() => expect(recordLines(running.root)).toBeGreaterThan(3), { interval: 20 });
  return running;
}

function start(main: string, more: readonly string[]): Running {
  const root = writeApp({ "src/main.js": main, "src/gemm.op.ts": gemmText() });
  const temporary = mkdtempSync(join(tmpdir(), "interrupted-"));
  const child = spawn(process.execPath, [script, root, ...more], {
    env: { ...process.env, TMPDIR: temporary, CI: "" },
    stdio: "ignore",
  });
  started.push(child);
  return { root, temporary, child };
}

const recordsText = (root: string): string => {
  const path = join(root, "store/records.jsonl");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};
const recordLines = (root: string): number => recordsText(root).split("\n").length - 1;

/** Process → its parent, for all of this machine. */
function parents(): ReadonlyMap<number, number> {
  const pids = readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0);
  return new Map(pids.map((pid) => [pid, parentOf(pid)]));
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return 0;
  }
}

function descendants(pid: number): number[] {
  const known = parents();
  const isBelow = (one: number): boolean => {
    const parent = known.get(one) ?? 0;
    return parent === pid || (parent > 1 && isBelow(parent));
  };
  return [...known.keys()].filter(isBelow);
}

async function expectGone(pids: readonly number[]): Promise<void> {
  expect(pids.length).toBeGreaterThan(0);
  await eventually(() => expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]));
}

/** The next build: its trials are those of the records and four more. */
async function expectContinued({ root }: Running, target: "wasm" | "native"): Promise<void> {
  const { records, skippedLines } = parseRecords(recordsText(root));
  expect(records.length).toBeGreaterThan(2);
  expect(skippedLines).toBeLessThanOrEqual(1);
  expect(existsSync(join(root, "kernels.lock.json"))).toBe(false);
  const request = { target, parameters: { M: 96, N: 96, K: 96 }, budget: { seconds: 600, trials: records.length + 4 } };
  const { kernel, warnings } = await compileIn(root, { request });
  expect(kernel).toMatchObject({ origin: "tuned", measurements: 4 });
  expect(warnings).toEqual([]);
  const [entry] = Object.values(JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8")).kernels);
  expect(entry).toMatchObject({ measured: { trials: records.length + 4 } });
}

describe.skipIf(!hasProc)("a tuning (needs /proc)", () => {
  turn.each([
    ["SIGINT", hasCompiler ? "native" : "wasm"],
    ["SIGTERM", "wasm"],
  ] as const)("that %s ends leaves nothing but what was measured, for %s", async (signal, target) => {
    const running = await startTuning(target);
    const pids = descendants(running.child.pid!);
    running.child.kill(signal);
    const [code, received] = await once(running.child, "exit");
    expect([code, received]).toEqual([null, signal]);
    await expectGone(pids);
    expect(readdirSync(running.temporary)).toEqual([]);
    await expectContinued(running, target);
  });

  turn("of several kernels that share a total is ended as one", async () => {
    const sizes = [96, 64, 80];
    const imports = sizes.map((M, at) => `import g${at} from "./gemm.op.ts?tune=wasm&M=${M}&N=96&K=96"; g${at}();`);
    const running = start(imports.join("\n"), ["240"]);
    const tasks = () => new Set(parseRecords(recordsText(running.root)).records.map(({ task }) => task)).size;
    await eventually(() => expect(tasks()).toBe(sizes.length), { interval: 20 });
    const pids = descendants(running.child.pid!);
    running.child.kill("SIGINT");
    const [code, received] = await once(running.child, "exit");
    expect([code, received]).toEqual([null, "SIGINT"]);
    await expectGone(pids);
    expect(readdirSync(running.temporary)).toEqual([]);
    const { records, skippedLines } = parseRecords(recordsText(running.root));
    expect([skippedLines, tasks()]).toEqual([0, sizes.length]);
    expect(records.length).toBeGreaterThan(sizes.length);
    expect(existsSync(join(running.root, "kernels.lock.json"))).toBe(false);
  });

  turn("for WASM that is killed leaves neither a directory nor a process", async () => {
    const running = await startTuning("wasm");
    const pids = descendants(running.child.pid!);
    running.child.kill("SIGKILL");
    await once(running.child, "exit");
    await expectGone(pids);
    expect(readdirSync(running.temporary)).toEqual([]);
    await expectContinued(running, "wasm");
  });

  turn.skipIf(!hasCompiler)(
    "with a compiler that is killed leaves a directory, which the next build removes",
    async () => {
      const running = await startTuning("native");
      const pids = descendants(running.child.pid!);
      running.child.kill("SIGKILL");
      await once(running.child, "exit");
      await expectGone(pids);
      const leftovers = readdirSync(running.temporary);
      expect(leftovers).toEqual([
        expect.stringMatching(new RegExp(`^unplugin-kernel-[0-9a-f]{8}-${running.child.pid}-`)),
      ]);
      const foreign = join(running.temporary, `unplugin-kernel-00000000-${running.child.pid}-abcdef`);
      const live = join(running.temporary, leftovers[0]!.replace(`-${running.child.pid}-`, `-${process.ppid}-`));
      for (const kept of [foreign, live]) mkdirSync(kept);
      vi.stubEnv("TMPDIR", running.temporary);
      await expectContinued(running, "native");
      expect(
        readdirSync(running.temporary)
          .map((name) => join(running.temporary, name))
          .sort(),
      ).toEqual([foreign, live].sort());
    },
  );
});
