// The simulator against plain loops, and against programs that do what they may not.

import { describe, expect, test } from "vitest";
import { decodeProgram } from "../isa/decode-program.ts";
import { vta } from "../machine.ts";
import type { Elements } from "./memory.ts";
import { type Simulated, simulate } from "./simulate.ts";

/** Bytes from −128 to 127 in an order that no loop of the tests has. */
const bytes = (length: number, seed: number): Int8Array =>
  Int8Array.from({ length }, (_, at) => ((at + seed) * 2654435761) >>> 24);

const run = (lines: string, memory: Readonly<Record<string, Elements>> = {}): Simulated =>
  simulate(decodeProgram(`program test\n${lines}`), vta, new Map(Object.entries(memory)));

const product = `buffer A i8[512] input
buffer B i8[512] input
buffer C i32[256] output
load inputs[0] <- A[0] 16x32 stride 32 pitch 32 pad 0 0 0 0
load weights[0] <- B[0] 32x16 stride 16 pitch 16 pad 0 0 0 0 signal compute
product sums[0] = 0 for 16: 16 0 0
product sums[0] += inputs[0] * weights[0] for 16: 16 32 0 for 2: 0 16 256 wait load signal store
store C[0] <- sums[0] 16x16 stride 16 pitch 16 wait compute
`;

describe("results", () => {
  test("a product of a 16×32 and a 32×16 matrix", () => {
    const [A, B, C] = [bytes(512, 1), bytes(512, 2), new Int32Array(256)];
    run(product, { A, B, C });
    const expected = Int32Array.from({ length: 256 }, (_, at) => {
      const [i, j] = [Math.floor(at / 16), at % 16];
      return Array.from({ length: 32 }, (_, k) => (A[i * 32 + k] ?? 0) * (B[k * 16 + j] ?? 0)).reduce((a, b) => a + b);
    });
    expect(C).toEqual(expected);
  });

  test("a load pads with zeros, widens bytes on the way into the sums, and a store takes some columns", () => {
    const [A, C] = [Int8Array.of(-1, 2, 3, 4, 5, 6), new Int32Array(8)];
    run(
      `buffer A i8[6] input
buffer C i32[8] output
load sums[16] <- A[0] 2x2 stride 3 pitch 16 pad 1 1 1 1 signal store
store C[0] <- sums[16] 4x2 stride 2 pitch 16 wait compute
`,
      { A, C },
    );
    expect([...C]).toEqual([0, 0, 0, -1, 0, 4, 0, 0]);
  });

  test("vector operations, on sums and on a number, as i32", () => {
    const lanes = Array.from({ length: 16 }, (_, lane) => lane);
    const [A, C] = [Int32Array.from(lanes, (lane) => (lane - 8) * 300_000_001), new Int32Array(96)];
    const vectors = ["add sums[0]", "sub 5", "mul sums[0]", "min 7", "max -9", "shr 3"].map(
      (text, at) => `vector sums[${16 * (at + 1)}] = sums[0] ${text}`,
    );
    run(
      `buffer A i32[16] input
buffer C i32[96] output
load sums[0] <- A[0] 1x16 stride 16 pitch 16 pad 0 0 0 0
${vectors.join("\n")} signal store
store C[0] <- sums[16] 1x96 stride 96 pitch 96 wait compute
`,
      { A, C },
    );
    const of = (op: (a: number) => number): number[] => Array.from(A, (a) => op(a) | 0);
    const expected = [(a: number) => a + a, (a: number) => a - 5, (a: number) => Math.imul(a, a)]
      .concat([(a) => Math.min(a, 7), (a) => Math.max(a, -9), (a) => a >> 3])
      .flatMap(of);
    expect([...C]).toEqual(expected);
  });

  test("a buffer of bytes gets the low byte of each sum", () => {
    const [A, C] = [Int32Array.of(1, 127, 128, -129), new Int8Array(4)];
    run(
      `buffer A i32[4] input
buffer C i8[4] output
load sums[0] <- A[0] 1x4 stride 4 pitch 4 pad 0 0 0 0 signal store
store C[0] <- sums[0] 1x4 stride 4 pitch 4 wait compute
`,
      { A, C },
    );
    expect([...C]).toEqual([1, 127, -128, 127]);
  });
});

describe("cycles", () => {
  test("units that wait for each other: what each takes, one after the other", () => {
    const memory = { A: bytes(512, 1), B: bytes(512, 2), C: new Int32Array(256) };
    // Loads: 32 + 16·(2 + 4) and 32 + 32·(2 + 2); products: 8 + 32; store: 32 + 16·(2 + 8). The reset runs beside the loads.
    expect(run(product, memory)).toEqual({
      cycles: 128 + 160 + 40 + 192,
      busy: { load: 288, compute: 64, store: 192 },
    });
  });

  test("units without tokens run beside each other", () => {
    const { cycles, busy } = run(
      `buffer A i8[512] input
load inputs[0] <- A[0] 1x512 stride 512 pitch 512 pad 0 0 0 0
product sums[0] = 0 for 64: 16 0 0
`,
      { A: bytes(512, 1) },
    );
    expect(cycles).toBe(Math.max(busy.load, busy.compute));
  });
});

describe("programs that are refused", () => {
  const loaded = "buffer A i8[512] input\nbuffer C i32[16] output\n";
  const memory = () => ({ A: bytes(512, 1), C: new Int32Array(16) });

  test.each([
    ["beyond a scratchpad", "load inputs[4000] <- A[0] 1x512 stride 512 pitch 512 pad 0 0 0 0", "it has 4096 elements"],
    ["padding beyond a scratchpad", "load inputs[4080] <- A[0] 1x16 stride 16 pitch 16 pad 0 1 0 0", "inputs[4096]"],
    ["beyond a buffer", "load inputs[0] <- A[500] 1x16 stride 16 pitch 16 pad 0 0 0 0", "A[500] to [515]"],
    ["products beyond the sums", "product sums[0] = 0 for 300: 16 0 0", "sums[4096]"],
    ["before the sums", "product sums[0] = 0 for 2: -16 0 0", "sums[-16]"],
    ["a read of nothing", "vector sums[0] = sums[16] add 1", "sums[16], which nothing has written"],
    [
      "a read of half a vector",
      "load sums[0] <- A[0] 1x8 stride 8 pitch 8 pad 0 0 0 0\nvector sums[0] = sums[0] add 1",
      "sums[8], which nothing has written",
    ],
    ["an unknown buffer", "load inputs[0] <- B[0] 1x1 stride 1 pitch 1 pad 0 0 0 0", "there is no buffer B"],
    ["a wait for ever", "product sums[0] = 0 wait load", "waits for a token that nobody gives"],
    ["a result that is not there", "product sums[0] = 0", "C[0] has no value"],
  ])("%s", (_, lines, message) => {
    expect(() => run(`${loaded}${lines}\n`, memory())).toThrow(message);
  });

  test.each([
    ["load", / signal compute| wait load/g],
    ["compute", / signal store| wait compute/g],
  ])("a token of the %s unit that is left out is a race", (unit, tokens) => {
    const data = { A: bytes(512, 1), B: bytes(512, 2), C: new Int32Array(256) };
    expect(() => run(product.replaceAll(tokens, ""), data)).toThrow(`without a token that ${unit} is done with it`);
  });

  test("an overwrite of what the products still read is a race, though the cycles are kind", () => {
    const overwritten = product.replace(
      "store C",
      "load inputs[0] <- A[0] 1x16 stride 16 pitch 16 pad 0 0 0 0\nstore C",
    );
    const data = { A: bytes(512, 1), B: bytes(512, 2), C: new Int32Array(256) };
    expect(() => run(overwritten, data)).toThrow("without a token");
    const ordered = overwritten
      .replace("signal store", "signal load signal store")
      .replace(/(1x16 .*)/, "$1 wait compute");
    expect(() => run(ordered, data)).not.toThrow();
  });

  test("too many instructions, a buffer of another length", () => {
    const two = decodeProgram(`program test\n${"product sums[0] = 0\n".repeat(2)}`);
    expect(() => simulate(two, { ...vta, instructions: 1 }, new Map())).toThrow("2 instructions are more than 1");
    expect(() => run(loaded, { A: bytes(3, 1) })).toThrow("A has 3 elements, the program wants 512");
  });
});
