// Verdicts of the page of `bench --browser`.

import { expect, test } from "vitest";
import type { Benched } from "../../../../src/cli/bench/bench-text.ts";
import { verdictOf } from "../../../../src/cli/bench/browser/page/verdict.ts";

type Row = NonNullable<Benched["bench"]>["rows"][number];

const row = (name: string, ms: number | null, rest: Partial<Row> = {}): Row => ({
  name,
  isBound: false,
  why: null,
  isRight: true,
  times: ms === null ? null : { medianNs: ms * 1e6, p20Ns: ms * 1e6, p80Ns: ms * 1e6, samples: 9 },
  gflops: null,
  ...rest,
});

const benched = (...rows: readonly Row[]): Benched => ({
  kernel: "gemm.op.ts?tune=wasm",
  error: null,
  bench: { origin: "lock", flops: 1e6, rows },
});

const verdict = (ms: number, loopsMs: number | null): string | null =>
  verdictOf(benched(row("wasm-relaxed", ms, { isBound: true }), row("wasm", 99), row("reference", loopsMs)));

test("what a page calls, beside the loops, and whether a call fits a frame", () => {
  expect(verdict(10, 160)).toBe("16.0 × the reference loops in JavaScript, 10 ms: fits a frame of 60 Hz");
  expect(verdict(1.7, 27.2)).toBe("16.0 × the reference loops in JavaScript, 1.7 ms: fits a frame of 60 Hz 9 times");
  expect(verdict(0.01, 0.02)).toBe("2.00 × the reference loops in JavaScript, 10 µs: hardly any of a frame of 60 Hz");
  expect(verdict(17, null)).toBe("17 ms: longer than a frame of 60 Hz, so call it with .async or in a worker");
});

test("nothing where nothing was measured, and no speed of what is wrong", () => {
  expect(verdictOf({ kernel: "a", error: "failed", bench: null })).toBeNull();
  expect(verdictOf(benched(row("wasm", 1), row("reference", 2)))).toBeNull();
  expect(verdictOf(benched(row("wasm", null, { isBound: true, isRight: null, why: "no SIMD" })))).toBeNull();
  expect(verdictOf(benched(row("wasm", null, { isBound: true, isRight: false, why: "C[0]" })))).toBe("wrong results");
});
