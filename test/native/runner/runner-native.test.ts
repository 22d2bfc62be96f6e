import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CSource } from "../../../src/compiler/index.ts";
import type { NativeArtifact } from "../../../src/native/addon/artifact.ts";
import { buildNative } from "../../../src/native/addon/build.ts";
import { addonRunnable } from "../../../src/native/backend/c.ts";
import { createRunner, type Runner } from "../../../src/native/runner/client.ts";
import type { RunOutcome } from "../../../src/native/runner/protocol.ts";
import { detectToolchains } from "../../../src/native/toolchain/detect.ts";
import { raceCandidates } from "../../../src/tuner/measure/measure.ts";
import { inTurn } from "../../support/long.ts";
import { doubling, parameters } from "./planted-wasm.ts";

const turn = inTurn(3);

const toolchain = (await detectToolchains()).find(({ family }) => family === "gcc");

/** C[i] = 2 · A[i], eight f32, and what may go wrong with it. */
const bodies = {
  right: "for (int i = 0; i < 8; i++) C[i] = 2 * A[i];",
  slow: "for (volatile int n = 0; n < 300000; n++) for (int i = 0; i < 8; i++) C[i] = 2 * A[i];",
  wrong: "for (int i = 0; i < 8; i++) C[i] = 2 * A[i] + (i == 5);",
  leavesTheLast: "for (int i = 0; i < 7; i++) C[i] = 2 * A[i];",
  writesPastTheEnd: "for (int i = 0; i < 8; i++) C[i] = 2 * A[i]; ((volatile float *)C)[8] = 1;",
  writesInput: "for (int i = 0; i < 8; i++) C[i] = 2 * A[i]; ((volatile float *)A)[0] = 1;",
  segfaults: "*(volatile int *)8 = 1;",
  aborts: "__builtin_trap();",
  smashesTheStack: "volatile char big[1 << 26]; for (int i = 0; i < 1 << 26; i += 4096) big[i] = 1; C[0] = A[0];",
  hangs: "for (volatile int n = 0; n >= 0; n = 1) {}",
} as const;
type Planted = keyof typeof bodies;
const planted = Object.keys(bodies) as Planted[];

const source = (name: Planted): CSource => ({
  kind: "c",
  name,
  parameters,
  text: `void ${name}(void *const *args, void *workspace) { float *A = args[0], *C = args[1]; ${bodies[name]} }\n`,
  workspaceBytes: 0,
  threads: 1,
  features: [],
  numerics: "strict",
});

let directory = "";
let artifact: NativeArtifact | null = null;
beforeAll(async () => {
  if (!toolchain) return;
  directory = mkdtempSync(join(tmpdir(), "planted-"));
  const built = await buildNative(planted.map(source), { outDir: directory, toolchain, bench: true });
  if (built.kind === "build-failed") throw new Error(built.reason);
  artifact = built;
});
afterAll(() => directory && rmSync(directory, { recursive: true, force: true }));

const open: Runner[] = [];
afterEach(async () => {
  for (const runner of open.splice(0)) await runner.close();
});

function runnerFor(deadlineMs = 3000): Runner {
  const runner = createRunner({ exclusive: false, deadlineMs });
  runner.setTask(doubling);
  open.push(runner);
  return runner;
}

const candidate = (name: Planted) => addonRunnable(artifact!, planted.indexOf(name));
const run = (runner: Runner, name: Planted, incumbentNs: number | null = null): Promise<RunOutcome> =>
  runner.run({ candidate: candidate(name), incumbentNs });

describe.skipIf(!toolchain)(`a native candidate${toolchain ? "" : " (needs gcc on PATH)"}`, () => {
  turn("that is right gets samples of at least the time asked for", async () => {
    const outcome = await run(runnerFor(), "right");
    expect(outcome.kind === "ok" && outcome.samplesNs.length).toBe(5);
    expect(outcome.kind === "ok" && Math.min(...outcome.samplesNs)).toBeLessThan(10_000);
  });

  it("that is a clear loser is timed once", async () => {
    const outcome = await run(runnerFor(), "slow", 100);
    expect(outcome.kind === "ok" && outcome.samplesNs.length).toBe(1);
  });

  turn.each([
    ["wrong", "wrong-result", "C[1, 1] is 4, the reference gives 3 (1 of 8 elements differ)"],
    ["leavesTheLast", "wrong-result", "C[1, 3] is not written, the reference gives 7 (1 of 8 elements differ)"],
    ["writesPastTheEnd", "wrong-result", "it wrote outside C"],
    ["writesInput", "wrong-result", "it wrote its input A"],
    ["segfaults", "crashed", "SIGSEGV"],
    ["aborts", "crashed", "SIG"],
    ["smashesTheStack", "crashed", "SIGSEGV"],
  ] as const)("that %s is a value, and the next one runs", async (name, kind, reason) => {
    const runner = runnerFor();
    const outcome = await run(runner, name);
    expect(outcome.kind).toBe(kind);
    expect("reason" in outcome && outcome.reason).toContain(reason);
    expect((await run(runner, "right")).kind).toBe("ok");
  });

  turn("that hangs costs its deadline", async () => {
    const runner = runnerFor(400);
    expect(await run(runner, "hangs")).toEqual({ kind: "timed-out", deadlineMs: 400 });
    expect((await run(runner, "right")).kind).toBe("ok");
  });

  it("that this CPU cannot run, or that is no addon, is refused", async () => {
    const runner = runnerFor();
    const alien = { ...candidate("right"), features: ["avx1024"] };
    expect(await runner.run({ candidate: alien, incumbentNs: null })).toMatchObject({ kind: "build-failed" });
    const missing = { kind: "native" as const, path: "/nowhere.node", index: 0, features: [] };
    const outcome = await runner.run({ candidate: missing, incumbentNs: null });
    expect(outcome).toMatchObject({ kind: "build-failed", reason: expect.stringContaining("/nowhere.node") });
  });

  it("wins its race", async () => {
    // A thousand times the faster: no interruption of a busy machine is as long.
    const racers = [candidate("slow"), candidate("right"), candidate("wrong")];
    const { winner, ratios } = await raceCandidates(runnerFor(), racers, { maxRounds: 6, tie: 0.01 });
    expect(winner).toBe(1);
    expect(ratios[2]).toBeNull();
  });
});
