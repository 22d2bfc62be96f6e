// Error that one kernel throws: a diagnostic that names it, with a stack if it is a bug of ours. Other kernels have
// their decisions.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DiagnosticError, invariant } from "../../../src/compiler/index.ts";
import { ProcessError } from "../../../src/native/process/child-process.ts";
import { detectToolchains } from "../../../src/native/toolchain/detect.ts";
import type { KernelContext } from "../../../src/plugin/kernel/context/kernel-context.ts";
import { keyFields, wasmTask } from "../../../src/plugin/kernel/schedule.ts";
import { failAlone } from "../../../src/plugin/support/fail-alone.ts";
import { predictionKey } from "../../../src/tuner/data/key.ts";
import { createWorkbench } from "../../../src/tuner/workbench/workbench.ts";
import { writeApp } from "../../support/build-app.ts";
import { buildTunings, compileIn, gemmText } from "../../support/compile-app.ts";
import { throwingWorkbench } from "../../support/failing-kernel.ts";
import { inTurn } from "../../support/long.ts";

const turn = inTurn(2);

const hasCompiler = (await detectToolchains()).length > 0;
const noCompiler = hasCompiler ? "" : " (needs gcc or clang)";

const failureOf = async (work: () => unknown, signal: AbortSignal | null = null): Promise<unknown> =>
  failAlone("src/a.op.ts?tune=wasm", signal, async () => work()).catch((error: unknown) => error);

const diagnosticOf = async (work: () => unknown) => ((await failureOf(work)) as DiagnosticError).diagnostic;

describe("what a kernel throws", () => {
  it("names it, and is a bug of ours with its stack where it is one", async () => {
    const found = await diagnosticOf(() => invariant(false, "nine is ten"));
    expect(found).toMatchObject({
      code: "kernel.bug",
      message:
        "src/a.op.ts?tune=wasm: invariant violated: nine is ten; that is a bug of unplugin-kernel: please report it",
    });
    expect(found.detail).toMatch(/^\s+at .*invariant/);
    expect(await diagnosticOf(() => (null as unknown as string[]).length)).toMatchObject({ code: "kernel.bug" });
  });

  it("is the machine's where the system says so", async () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
      syscall: "write",
    });
    for (const error of [full, new RangeError("Array buffer allocation failed"), new ProcessError("it ended: SIGKILL")])
      expect(
        await diagnosticOf(() => {
          throw error;
        }),
      ).toMatchObject({ code: "kernel.machine", message: `src/a.op.ts?tune=wasm: ${error.message}`, detail: null });
  });

  it("stays as it is where it is a diagnostic, or nobody's failure", async () => {
    const mistake = new DiagnosticError({ code: "space.empty", message: "no", loc: null, hint: null, detail: null });
    expect(
      await failureOf(() => {
        throw mistake;
      }),
    ).toBe(mistake);
    const stopped = AbortSignal.abort(new Error("stopped"));
    expect(await failureOf(() => stopped.throwIfAborted(), stopped)).toBe(stopped.reason);
  });
});

const sizes = [8, 9, 10, 11, 12, 13, 14];
const lockedIn = (root: string): readonly string[] =>
  Object.keys(JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8")).kernels);

describe("seven kernels of a build", () => {
  turn.each([
    ["each with a budget of its own", null],
    ["that share a total", 600],
  ])("%s: one fails in the middle, and the six others are in the lock", async (_, totalSeconds) => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const tunings = buildTunings(totalSeconds);
    const results = await Promise.allSettled(
      sizes.map((M) =>
        compileIn(root, {
          tunings,
          request: { parameters: { M } },
          change: () => (M === 11 ? { workbench: throwingWorkbench } : {}),
        }),
      ),
    );
    const failed = results.flatMap((result) => (result.status === "rejected" ? [String(result.reason.message)] : []));
    expect(failed).toEqual([
      expect.stringMatching(
        /^kernel\.bug: src\/gemm\.op\.ts\?M=11&tune=wasm: invariant violated: planted; .+please report it\n {4}at /,
      ),
    ]);
    const others = sizes.filter((M) => M !== 11).map((M) => `src/gemm.op.ts?M=${M}&tune=wasm`);
    expect([...lockedIn(root)].sort()).toEqual([...others].sort());
  });
});

it.skipIf(!hasCompiler)(`a WASM twin that cannot be predicted is told before the search${noCompiler}`, async () => {
  const root = writeApp({ "src/gemm.op.ts": gemmText() });
  let opened = 0;
  const compiled = compileIn(root, {
    request: { target: "avx2" },
    change({ store, task }) {
      const twinKey = predictionKey(keyFields(wasmTask(task)));
      const entry: typeof store.entry = (key) => {
        if (key === twinKey) invariant(false, "planted");
        return store.entry(key);
      };
      const workbench: KernelContext["workbench"] = (options) => {
        const inner = createWorkbench(options);
        const measure: typeof inner.measure = (...args) => {
          opened += 1;
          return inner.measure(...args);
        };
        return { ...inner, measure };
      };
      return { store: { ...store, entry }, workbench };
    },
  });
  await expect(compiled).rejects.toThrow(
    /^kernel\.bug: src\/gemm\.op\.ts\?tune=avx2: its WASM twin cannot be made: invariant violated: planted; .+\n(.+\n)* {2}hint: fallback=none leaves it out$/,
  );
  expect(opened).toBe(0);
});
