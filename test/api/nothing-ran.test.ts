// Message of `tune` when nothing could be measured: how many candidates failed in which way, with an example of each.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { build, codeSizeLimit, predictSchedule, tune } from "../../src/api/index.ts";
import { authoring, type DiagnosticError, opLibrary } from "../../src/compiler/index.ts";
import { failureText, nothingRan } from "../../src/tuner/tuning/failures.ts";
import type { Failure } from "../../src/tuner/tuning/tuning.ts";

const candidate = { template: "t", assignment: {} };
const failure = (measurement: Failure["measurement"]): Failure => ({ candidate, measurement });
const wrong = failure({ kind: "wrong-result", reason: "Y[0] is 1" });
const hidden = failure({ kind: "ill-conditioned", reason: "Y[0] is 1; the operator cancels" });

/** Says what it is, as it is asked before it is used. */
const gccThatFails = `#!/bin/sh
case "$1" in --version) echo "gcc (Debian 12.2.0-14) 12.2.0"; exit 0;; -dumpmachine) echo x86_64-linux-gnu; exit 0;; -print*) exit 0;; esac
echo "error: drawn" >&2
exit 1
`;

describe("a tuning in which nothing ran", () => {
  it("counts the failures of each kind", () => {
    expect(
      failureText([
        wrong,
        wrong,
        failure({ kind: "timed-out", deadlineMs: 3000 }),
        failure({ kind: "crashed", reason: "SIGSEGV" }),
      ]),
    ).toBe(
      "2 candidates wrong-result, as: Y[0] is 1; 1 candidate timed-out, as: it did not end within 3000 ms; 1 candidate crashed, as: SIGSEGV",
    );
  });

  it("offers strict numerics where the operator cancels, and calls nothing a bug", () => {
    const { message, hint } = nothingRan("f", { failures: [hidden], late: null }, "fast");
    expect(message).toContain("f: nothing could be measured: 1 candidate ill-conditioned, as: Y[0] is 1");
    expect(hint).toMatch(/^numerics: "strict"/);
    expect(`${message}${hint}`).not.toContain("bug");
    expect(nothingRan("f", { failures: [wrong], late: null }, "fast").hint).toMatch(/bug.*"strict" may do meanwhile/);
    expect(nothingRan("f", { failures: [wrong], late: null }, "strict").hint).not.toContain("strict");
  });

  it.each([
    [{ kind: "build-failed", reason: "the compiler took longer than 60000 ms" } as const, /UNPLUGIN_KERNEL_COMPILER/],
    [{ kind: "crashed", reason: "SIGSEGV" } as const, /please report it/],
    [{ kind: "timed-out", deadlineMs: 3000 } as const, /please report it/],
  ])("says what may help where all candidates are %j", (measurement, hint) => {
    expect(nothingRan("f", { failures: [failure(measurement)], late: null }, "fast").hint).toMatch(hint);
  });

  it("has the reason of a postprocessor that refuses everything", async () => {
    const tuned = tune(opLibrary.gemm({ M: 8, N: 8, K: 8 }), {
      target: "wasm",
      postprocessors: [codeSizeLimit({ bytes: 1 })],
      budget: { seconds: 600, trials: 6 },
    });
    await expect(tuned).rejects.toThrow(
      /^tune\.nothing-ran: kernel: nothing could be measured: 6 candidates build-failed, as: code size: \d+ bytes of code, at most 1\n {2}hint: .*a check of your own/,
    );
  });
});

it.skipIf(process.platform === "win32")("a compiler that fails is an error with a hint: another one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nothing-ran-"));
  writeFileSync(join(folder, "gcc"), gccThatFails, { mode: 0o755 });
  vi.stubEnv("PATH", folder);
  vi.stubEnv("UNPLUGIN_KERNEL_COMPILER", "gcc");
  const [op, options] = [
    opLibrary.gemm({ M: 8, N: 8, K: 8 }),
    { target: "avx2", outDir: join(folder, "out") } as const,
  ];
  try {
    await expect(build(op, predictSchedule(op, options), options)).rejects.toMatchObject({
      diagnostic: { code: "build.failed", message: "error: drawn", hint: expect.stringContaining("another compiler") },
    });
  } finally {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  }
});

describe("an operator for which there is no time", () => {
  it("is not begun where its right answers alone would take longer", async () => {
    const { compute, defineOp, exp, reduceAxis, sum, tensor } = authoring;
    const long = defineOp({ N: 60_000 }, ({ N }) => {
      const [x, k] = [tensor("x", [N], "f32"), reduceAxis("k", N)];
      return compute("y", [N], (i) => sum(exp(x(i).mul(x(k))), k));
    });
    const error = await tune(long, { target: "wasm", budget: { seconds: 3 } }).catch((thrown: unknown) => thrown);
    expect((error as DiagnosticError).diagnostic).toMatchObject({ code: "tune.out-of-time" });
    expect((error as DiagnosticError).message).toMatch(
      /computing the right answers would take about \d+\.\d s, and 3\.0 s were left/,
    );
  });
});
