// What the sweep draws schedules of: every operator of the library and those that it lacks, in the types that WGSL has, and operators by
// lot. The same round of the same seed gives the same operator, whoever runs it.

import { type AcceleratorTarget, type ComputeDef, instantiate, warpProductOf } from "../../../src/compiler/index.ts";
import { intrinsicsOf, isAvailable } from "../../../src/compiler/intrinsic/intrinsics.ts";
import { exactInputLimit } from "../../../src/tuner/check/exactness.ts";
import { createRng, type Rng } from "../../../src/tuner/support/rng.ts";
import { contractionTypes, drawContraction } from "../../support/drawn/draw-contraction.ts";
import { drawOperator } from "../../support/drawn/draw-operator.ts";
import { large, small } from "../../support/drawn/drawing.ts";
import { library } from "../../support/library/library.ts";
import { operandTypes, titleOf } from "../../support/library/library-operator.ts";
import { randomGraph } from "../../support/random-graph.ts";
import { type FurtherOperator, furtherOperators } from "./further-operators.ts";
import { tensorCoreOperators } from "./tensor-core-operators.ts";

export interface SweptOperator {
  readonly title: string;
  /** Draws types and extents. Null: WGSL cannot compute it, so that another draw has to do. */
  readonly draw: (rng: Rng, round: number) => ComputeDef | null;
  /** Too large to be run without a GPU: its schedules are made and compiled. */
  readonly isLarge?: true;
}

const fromLibrary: readonly SweptOperator[] = library.map((operator) => {
  const types = operator.types.filter((type) => type !== "f64");
  return {
    title: titleOf(operator),
    draw: (rng, round) => instantiate(operator.small(rng).op(operandTypes(types[round % types.length]!)), {}, "op"),
  };
});

const drawnFrom = ({ title, types, draw }: FurtherOperator): SweptOperator => ({
  title,
  draw: (rng, round) => instantiate(draw(rng, types[round % types.length]!), {}, "op"),
});

/** Those beside the library. */
export const furtherSwept: readonly SweptOperator[] = furtherOperators.map(drawnFrom);

const withoutDoubles = (op: ComputeDef): ComputeDef | null =>
  [...op.inputs, ...op.stages].some(({ dtype }) => dtype === "f64") ? null : op;

/** An operator whose sums may be taken in any order: results of the others depend on it by more than a bound says. */
function drawOrderless(rng: Rng): ComputeDef | null {
  const { def, manner } = drawOperator(rng, small);
  return manner === "smooth" || exactInputLimit([def]) !== null ? withoutDoubles(def) : null;
}

const byLot: readonly SweptOperator[] = [
  { title: "operators by lot", draw: drawOrderless },
  { title: "graphs by lot", draw: (rng) => withoutDoubles(randomGraph(rng)) },
  drawnFrom({ title: "contractions by lot", types: contractionTypes, draw: (rng, type) => drawContraction(rng, type) }),
];

/** Operators whose spaces meet the limits of a launch: its groups, their memory, the arrays. */
export const largeSwept: readonly SweptOperator[] = [
  { title: "large operators by lot", isLarge: true, draw: (rng) => withoutDoubles(drawOperator(rng, large).def) },
  {
    title: "operators of the library as they are tuned",
    isLarge: true,
    draw(rng, round) {
      const { types, shapes } = library[round % library.length]!;
      const type = rng.pick(types.filter((it) => it !== "f64"));
      return instantiate(rng.pick(shapes).op(operandTypes(type)), {}, "op");
    },
  },
];

export const sweptOperators: readonly SweptOperator[] = [...fromLibrary, ...furtherSwept, ...byLot];

/** Whether a target has instructions on tiles of a warp. */
const hasTensorCores = (target: AcceleratorTarget): boolean =>
  intrinsicsOf(target).some((it) => warpProductOf(it) !== null && isAvailable(it, target, "fast"));

/** All operators whose schedules for a target are swept. */
export const sweptFor = (
  target: AcceleratorTarget,
  { runs = true }: { readonly runs?: boolean } = {},
): readonly SweptOperator[] => [
  ...(hasTensorCores(target) ? tensorCoreOperators.map(drawnFrom) : []),
  ...sweptOperators,
  ...(runs ? [] : largeSwept),
];

/** The operator of a round, and the numbers by which its inputs and schedules are drawn. */
export function operatorOfRound(
  { title, draw }: SweptOperator,
  seed: number,
  round: number,
): { readonly op: ComputeDef | null; readonly rng: Rng } {
  const own = [...title].reduce((mix, letter) => (Math.imul(mix, 31) + letter.codePointAt(0)!) | 0, seed);
  const rng = createRng((Math.imul(own, 1_000_003) + round) | 0);
  return { op: draw(rng, round), rng };
}
