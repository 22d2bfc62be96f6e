// The lines that hints ask for are those that the iteration ahead touches: compared with its elements, one by one, on
// nests scheduled at random.

import { fc, test } from "@fast-check/vitest";
import { expect, test as plainTest } from "vitest";
import type { Block, Buffer, Expr, LoopFunc } from "../../../src/compiler/index.ts";
import type { For, Stmt } from "../../../src/compiler/ir/loop-ir.ts";
import { childrenOf, walkExpr } from "../../../src/compiler/ir/visit.ts";
import { linesAhead, mostLines } from "../../../src/compiler/schedule/lines-ahead.ts";
import { bindAxes, findLoop, loopsIn } from "../../../src/compiler/schedule/nest.ts";
import { replay } from "../../../src/compiler/schedule/replay/replay.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { drawInstruction } from "../../support/random-instruction.ts";
import { blur, epilogue, gemm, padded, twoGemms, windows } from "./nests.ts";

type Values = ReadonlyMap<string, number>;

function valueAt(expr: Expr, at: Values): number {
  if (expr.kind === "const") return expr.value;
  if (expr.kind === "var") return at.get(expr.name)!;
  if (expr.kind !== "binary") throw new Error(`no index arithmetic: ${expr.kind}`);
  const [left, right] = [valueAt(expr.left, at), valueAt(expr.right, at)];
  switch (expr.op) {
    case "add":
      return left + right;
    case "sub":
      return left - right;
    case "mul":
      return left * right;
    case "floorDiv":
      return Math.floor(left / right);
    case "mod":
      return left - right * Math.floor(left / right);
    case "min":
      return Math.min(left, right);
    default:
      throw new Error(`no index arithmetic: ${expr.op}`);
  }
}

const flatten = ({ shape }: Buffer, indices: readonly number[]): number =>
  indices.reduce((sum, index, dim) => sum * shape[dim]! + index, 0);

/** Elements of the buffer that the block names where it stands, unless it does not run there. */
function touchedByBlock(block: Block, buffer: Buffer, at: Values): readonly number[] {
  const runs = block.axes.every(({ extent }, axis) => {
    const value = valueAt(block.bindings[axis]!, at);
    return value >= 0 && value < extent;
  });
  const found: number[] = [];
  const note = (indices: readonly Expr[]): void => {
    const element = indices.map((index) => valueAt(bindAxes(block, index), at));
    if (element.every((index, dim) => index >= 0 && index < buffer.shape[dim]!)) found.push(flatten(buffer, element));
  };
  if (!runs) return [];
  if (block.buffer === buffer.name) note(block.indices);
  walkExpr(block.value, (node) => {
    if (node.kind === "load" && node.buffer === buffer.name) note(node.indices);
  });
  return found;
}

function touched(stmt: Stmt, buffer: Buffer, at: Values): readonly number[] {
  if (stmt.kind === "block") return touchedByBlock(stmt, buffer, at);
  if (stmt.kind !== "for") return childrenOf(stmt).flatMap((child) => touched(child, buffer, at));
  return iterations(stmt).flatMap((value) => touched(stmt.body, buffer, new Map(at).set(stmt.name, value)));
}

const iterations = ({ extent }: For): readonly number[] => [...Array(extent).keys()];

/** First elements of the lines that are asked for. */
function hinted(lines: ReturnType<typeof linesAhead> & { readonly kind: "lines" }, buffer: Buffer, at: Values) {
  const first = lines.first.map((index) => valueAt(index, at));
  const starts = lines.steps.reduce(
    (found, { dim, elements, count }) =>
      found.flatMap((start) =>
        Array.from({ length: count }, (_, step) => start.with(dim, start[dim]! + step * elements)),
      ),
    [first],
  );
  return starts.map((indices) => flatten(buffer, indices));
}

const perLine = 16; // f32, of 64 bytes

/** Checks that all elements of iteration `at + distance` lie in the lines asked for, and that these are not too many. */
function checkIteration(nest: LoopFunc, loop: For, buffer: Buffer, distance: number, at: Values): number {
  const lines = linesAhead(findLoop(nest, loop.name)!, buffer, distance);
  if (lines.kind !== "lines") return 0;
  const starts = hinted(lines, buffer, at);
  const ahead = new Map(at).set(loop.name, at.get(loop.name)! + distance);
  for (const element of touched(loop.body, buffer, ahead)) {
    expect(starts.some((start) => start <= element && element < start + perLine)).toBe(true);
  }
  expect(starts.length).toBeLessThanOrEqual(mostLines);
  return 1;
}

const nests: readonly LoopFunc[] = [gemm(9, 40, 7), gemm(5, 7, 6), blur, twoGemms, padded, epilogue, windows];

function shaped(nest: LoopFunc, seeds: readonly number[]): LoopFunc {
  return seeds.reduce((after, seed) => {
    const next = replay(after, [drawInstruction(after, seed)]);
    return next.kind === "ok" ? next.nest : after;
  }, nest);
}

function checkNest(nest: LoopFunc, distance: number, seed: number): number {
  const rng = createRng(seed);
  let checked = 0;
  for (const loop of loopsIn(nest.body)) {
    const { around } = findLoop(nest, loop.name)!;
    const iteration = rng.below(Math.max(1, loop.extent - distance));
    const at = new Map([
      ...around.map(({ name, extent }) => [name, rng.below(extent)] as const),
      [loop.name, iteration] as const,
    ]);
    if (iteration + distance >= loop.extent) continue;
    for (const buffer of nest.buffers) checked += checkIteration(nest, loop, buffer, distance, at);
  }
  return checked;
}

const seeds = fc.array(fc.nat(), { maxLength: 8, size: "max" });

test.prop([fc.constantFrom(...nests), seeds, fc.nat(3), fc.nat()], { numRuns: 150 })(
  "every element that the iteration ahead touches is in a line that is asked for",
  (nest, drawn, distance, seed) => {
    checkNest(shaped(nest, drawn), distance, seed);
  },
);

plainTest("most loops of naive nests have lines to ask for", () => {
  expect(nests.map((nest) => checkNest(nest, 1, 1))).toMatchInlineSnapshot(`
    [
      6,
      6,
      4,
      12,
      4,
      11,
      10,
    ]
  `);
});
