// A producer moved under its consumer computes what is read there: compared with the elements that the consumer of the
// naive nest reads, one by one. Affine reads with strides, dilation, offsets and guards.

import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import {
  authoring,
  type Block,
  type Expr,
  instantiate,
  interpret,
  type LoopFunc,
} from "../../../src/compiler/index.ts";
import { fromCompute } from "../../../src/compiler/ir/from-compute.ts";
import { bindAxes, findBlock, findLoop } from "../../../src/compiler/schedule/nest.ts";
import { schedule } from "../../../src/compiler/schedule/replay/replay.ts";
import { isLong } from "../../support/long.ts";
import { inputsOf } from "./nests.ts";

const { compute, defineOp, reduceAxis, select, sum, tensor } = authoring;

interface Window {
  readonly outputs: number;
  readonly taps: number;
  readonly stride: number;
  readonly dilation: number;
  readonly padding: number;
  readonly tile: number;
}

const window: fc.Arbitrary<Window> = fc.record({
  outputs: fc.integer({ min: 1, max: 9 }),
  taps: fc.integer({ min: 1, max: 3 }),
  stride: fc.integer({ min: 1, max: 3 }),
  dilation: fc.integer({ min: 1, max: 3 }),
  padding: fc.integer({ min: 0, max: 2 }),
  tile: fc.integer({ min: 1, max: 4 }),
});

const lengthOf = ({ outputs, taps, stride, dilation, padding }: Window): number =>
  Math.max(1, (outputs - 1) * stride + (taps - 1) * dilation + 1 - 2 * padding);

/** P = 2·X; Q[i] = Σ P[stride·i + dilation·r − padding], what is outside of P counts as 0. */
function convolution(of: Window): LoopFunc {
  const length = lengthOf(of);
  const op = defineOp({}, () => {
    const X = tensor("X", [length], "f32");
    const P = compute("P", [length], (i) => X(i).mul(2));
    const r = reduceAxis("r", of.taps);
    return compute("Q", [of.outputs], (i) => {
      const at = i.mul(of.stride).add(r.mul(of.dilation)).sub(of.padding);
      return sum(select(at.ge(0).and(at.lt(length)), P(at), 0), r);
    });
  });
  return fromCompute(instantiate(op, {}, "windows"));
}

const indexValue = (expr: Expr, at: ReadonlyMap<string, number>): number => {
  if (expr.kind === "const") return expr.value;
  if (expr.kind === "var") return at.get(expr.name)!;
  if (expr.kind !== "binary") throw new Error(`no index arithmetic: ${expr.kind}`);
  const [left, right] = [indexValue(expr.left, at), indexValue(expr.right, at)];
  if (expr.op === "add") return left + right;
  if (expr.op === "sub") return left - right;
  if (expr.op === "mul") return left * right;
  throw new Error(`no affine index: ${expr.op}`);
};

/** The elements of P that the placed producer computes in an iteration of the outer loop. */
function computed(nest: LoopFunc, outer: number): ReadonlySet<number> {
  const { block } = findBlock(nest, "P")! as { readonly block: Block };
  const { extent } = findLoop(nest, "P.i")!.loop;
  const axis = bindAxes(block, { kind: "var", dtype: "i32", name: "i" });
  const elements = Array.from({ length: extent }, (_, inner) =>
    indexValue(
      axis,
      new Map([
        ["Q.i.0", outer],
        ["P.i", inner],
      ]),
    ),
  );
  return new Set(elements.filter((element) => element >= 0 && element < block.axes[0]!.extent));
}

/** The elements that the tile would read if it had no tail. */
function read(of: Window, outer: number): ReadonlySet<number> {
  const elements = Array.from({ length: of.tile * of.taps }, (_, n) => {
    const i = outer * of.tile + Math.floor(n / of.taps);
    return i * of.stride + (n % of.taps) * of.dilation - of.padding;
  });
  return new Set(elements.filter((element) => element >= 0 && element < lengthOf(of)));
}

const place = (of: Window): LoopFunc =>
  schedule(convolution(of), [
    { kind: "split", loop: "Q.i", factors: [0, of.tile], tail: "guard" },
    { kind: "compute-at", block: "P", loop: "Q.i.0" },
  ]);

const tiles = ({ outputs, tile }: Window): readonly number[] => [...Array(Math.ceil(outputs / tile)).keys()];

const numRuns = isLong ? 200 : 50;

test.prop([window], { numRuns })("what is read is computed, and the results stay", (of) => {
  const placed = place(of);
  for (const outer of tiles(of)) {
    const has = computed(placed, outer);
    for (const element of read(of, outer)) expect(has).toContain(element);
  }
  expect(interpret(placed, inputsOf(placed))).toEqual(interpret(convolution(of), inputsOf(placed)));
});

test.prop([window], { numRuns })("nothing else is computed, where one loop drives the index", (of) => {
  const chain = { ...of, taps: 1 };
  for (const outer of tiles(chain)) expect(computed(place(chain), outer)).toEqual(read(chain, outer));
});

test.prop([window], { numRuns })("nor where the window has no gaps", (of) => {
  const dense = { ...of, dilation: 1, stride: Math.min(of.stride, of.taps) };
  for (const outer of tiles(dense)) expect(computed(place(dense), outer)).toEqual(read(dense, outer));
});
