// The listing of a program: readable, and the program again when it is decoded.

import { expect, test } from "vitest";
import { decodeProgram } from "./decode-program.ts";
import { type Instruction, noPadding, noTokens, type Program, units } from "./instruction.ts";
import { printProgram } from "./print-program.ts";

const instructions: readonly Instruction[] = [
  {
    kind: "load",
    scratchpad: "inputs",
    address: 32,
    buffer: "A.pad",
    offset: 7,
    rows: 3,
    columns: 20,
    stride: 64,
    pitch: 32,
    padding: { above: 1, below: 2, left: 3, right: 9 },
    waits: ["compute"],
    signals: ["compute"],
  },
  {
    kind: "load",
    scratchpad: "sums",
    address: 0,
    buffer: "bias",
    offset: 0,
    rows: 1,
    columns: 16,
    stride: 16,
    pitch: 16,
    padding: noPadding,
    ...noTokens,
  },
  {
    kind: "product",
    resets: true,
    sums: 16,
    inputs: 0,
    weights: 0,
    loops: [{ count: 4, steps: [16, 0, 0] }],
    ...noTokens,
  },
  {
    kind: "product",
    resets: false,
    sums: 16,
    inputs: 48,
    weights: 512,
    loops: [
      { count: 4, steps: [16, -32, 0] },
      { count: 2, steps: [0, 16, 256] },
    ],
    waits: ["load", "store"],
    signals: ["load"],
  },
  {
    kind: "vector",
    op: "add",
    result: 64,
    left: 16,
    right: { kind: "sums", address: 0 },
    loops: [{ count: 4, steps: [16, 16, 0] }],
    ...noTokens,
  },
  {
    kind: "vector",
    op: "shr",
    result: 64,
    left: 64,
    right: { kind: "immediate", value: -3 },
    loops: [],
    waits: [],
    signals: [...units].slice(2),
  },
  {
    kind: "store",
    scratchpad: "sums",
    address: 64,
    buffer: "C",
    offset: 5,
    rows: 4,
    columns: 11,
    stride: 11,
    pitch: 16,
    waits: ["compute"],
    signals: [],
  },
];

const program: Program = {
  name: "gemm_i8",
  buffers: [
    { name: "A.pad", dtype: "i8", length: 199, role: "input" },
    { name: "bias", dtype: "i32", length: 16, role: "input" },
    { name: "C", dtype: "i32", length: 49, role: "output" },
  ],
  instructions,
};

test("a line for each instruction", () => {
  expect(printProgram(program)).toMatchInlineSnapshot(`
    "program gemm_i8
    buffer A.pad i8[199] input
    buffer bias i32[16] input
    buffer C i32[49] output
    load inputs[32] <- A.pad[7] 3x20 stride 64 pitch 32 pad 1 2 3 9 wait compute signal compute
    load sums[0] <- bias[0] 1x16 stride 16 pitch 16 pad 0 0 0 0
    product sums[16] = 0 for 4: 16 0 0
    product sums[16] += inputs[48] * weights[512] for 4: 16 -32 0 for 2: 0 16 256 wait load wait store signal load
    vector sums[64] = sums[16] add sums[0] for 4: 16 16 0
    vector sums[64] = sums[64] shr -3 signal store
    store C[5] <- sums[64] 4x11 stride 11 pitch 16 wait compute
    "
  `);
});

test("what is printed is decoded to the same program", () => {
  expect(decodeProgram(printProgram(program))).toEqual(program);
});

test.each([
  ["", "line 1"],
  ["program gemm\nbuffer A f32[4] input\n", "line 2: buffer A f32[4] input is no instruction"],
  ["program gemm\n\nvector sums[0] = sums[0] div 2\n", "line 3"],
  ["program gemm\nstore C[0] <- inputs[0] 1x1 stride 1 pitch 1\n", "line 2"],
  ["program gemm\nproduct sums[0] = 0 wait nobody\n", "line 2"],
])("what is no listing says where: %j", (listing, message) => {
  expect(() => decodeProgram(listing)).toThrow(message);
});
