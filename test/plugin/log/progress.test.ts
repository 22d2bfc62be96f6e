import { describe, expect, it } from "vitest";
import { createProgress, progressLine } from "../../../src/plugin/log/progress.ts";

const progress = { round: 3, measured: 48, failed: 1, bestNs: 2e6, elapsedMs: 6300 };

describe("progress", () => {
  it("is one line", () => {
    expect(progressLine("src/gemm.op.ts?tune=avx2", 342.4e6, progress)).toBe(
      "src/gemm.op.ts?tune=avx2: round 3, 48 measured, 1 failed, 171.2 GFLOP/s, 6.3 s",
    );
    expect(progressLine("k", 1, { round: 0, measured: 0, failed: 0, bestNs: null, elapsedMs: 0 })).toBe(
      "k: builds the first candidates, 0.0 s",
    );
  });

  it("is written over on a terminal, and goes when the kernel is done", () => {
    const texts: (string | null)[] = [];
    const shown = createProgress((text) => texts.push(text), expect.unreachable);
    shown.show("a", 1e9, progress);
    shown.show("a", 1e9, { ...progress, round: 4 });
    shown.end();
    expect(texts).toEqual([progressLine("a", 1e9, progress), progressLine("a", 1e9, { ...progress, round: 4 }), null]);
  });

  it("is a line now and then elsewhere, for each kernel", () => {
    const lines: string[] = [];
    const shown = createProgress(null, (text) => lines.push(text));
    const show = (kernel: string, elapsedMs: number): void => shown.show(kernel, 1e9, { ...progress, elapsedMs });
    for (const elapsedMs of [1000, 9000, 10_900, 11_000, 15_000, 21_000]) show("a", elapsedMs);
    show("b", 15_000);
    show("a", 500);
    expect(lines.map((text) => `${text[0]} ${text.split(", ").at(-1)}`)).toEqual([
      "a 1.0 s",
      "a 11.0 s",
      "a 21.0 s",
      "b 15.0 s",
      "a 0.5 s",
    ]);
  });
});
