// A product of matrices on the matrix unit: blocks of inputs and weights in their scratchpads, their sums in theirs until they are
// complete. A map that reads each sum at its own place, bias or activation, is computed before they leave.
//
//   i → i.0, i.1 of a block     j → j.0, j.1 tiles of a block, j.2 of 16     k → k.0, k.1 tiles of a block, k.2 of 16
//   for i.0, j.0                                     sums of a block
//     for k.0                                        blocks of inputs and weights are loaded
//       for i.1, j.1, taps, k.1: vta.product         one instruction, its loops are the machine's
//
// What stays in its scratchpad while blocks of the other operand pass by is a decision.

import {
  type AcceleratorTarget,
  type Instruction,
  type LayoutDim,
  loopName,
  type Operand,
} from "../../../src/compiler/index.ts";
import {
  choice,
  type Draft,
  decide,
  estimate,
  fuse,
  instruct,
  instructWhen,
  is,
  type RuleContext,
  type SchedulableStage,
  type SpaceRule,
  tunable,
} from "../../../src/tuner/space/rule-authoring.ts";
import { product, reset } from "../intrinsic.ts";
import { type Machine, side } from "../machine.ts";
import { epilogueOf } from "./epilogue.ts";
import { productEstimate } from "./estimate.ts";
import { limitScratchpads } from "./limits.ts";
import { type MatrixProduct, matrixProduct } from "./matrix-product.ts";
import { stays, staysOf, tileOf, tilesWorthTrying } from "./tiles.ts";

export const onMatrixUnit = (machine: Machine): SpaceRule<AcceleratorTarget> => ({
  name: "on-matrix-unit",
  applies: (stage, context) => asked(stage, context) !== null,
  apply(draft, stage, context) {
    const found = asked(stage, context);
    if (!found) return [draft];
    const { sums, reader } = found;
    const fused = reader ? fuse(draft, sums.stage.name) : draft;
    const named = decide(fused, `${reader ? `${reader.name} with ` : ""}${sums.stage.name} on the matrix unit`);
    const limited = limitScratchpads(tiled(named, sums), sums, reader, machine);
    return [schedule(estimate(limited, productEstimate(sums)), sums, reader)];
  },
});

interface Asked {
  readonly sums: MatrixProduct;
  /** The map that takes the sums; null: the stage itself is the sums. */
  readonly reader: SchedulableStage | null;
}

function asked(stage: SchedulableStage, { task, stages }: RuleContext<AcceleratorTarget>): Asked | null {
  const own = matrixProduct(stage, task);
  if (own) return { sums: own, reader: null };
  const finished = epilogueOf(stage, stages, task.op);
  const sums = finished && matrixProduct(finished, task);
  return sums && { sums, reader: stage };
}

/** Adds the sizes of a block, and what stays. */
function tiled(draft: Draft, { stage, rows, columns, depth }: MatrixProduct): Draft {
  const sized = rows.reduce((result, row) => tunable(result, tileOf(stage, row), tilesWorthTrying(row.extent)), draft);
  const wide = tunable(sized, tileOf(stage, columns), tilesWorthTrying(Math.ceil(columns.extent / side)));
  const deep = depth.extent / side;
  const divisors = tilesWorthTrying(deep).filter((tiles) => deep % tiles === 0);
  return choice(tunable(wide, tileOf(stage, depth), divisors), staysOf(stage), stays.length);
}

function schedule(draft: Draft, sums: MatrixProduct, reader: SchedulableStage | null): Draft {
  const { stage, rows, columns, depth, isPadded } = sums;
  const loop = ({ name }: { readonly name: string }, level: number): string => `${loopName(stage.name, name)}.${level}`;
  const tile = (axis: { readonly name: string }): Operand => ({ tunable: tileOf(stage, axis) });
  const split = instruct(
    draft,
    ...(isPadded ? [padding(sums)] : []),
    ...rows.map((row) => splitOf(loopName(stage.name, row.name), [0, tile(row)], "mask")),
    splitOf(loopName(stage.name, columns.name), [0, tile(columns), side], "mask"),
    splitOf(loopName(stage.name, depth.name), [0, tile(depth), side], "perfect"),
  );
  const placed = stays.reduce((result, stay, at) => {
    const blocks = [...rows.map((row) => loop(row, 0))];
    const outer = stay === "weights" ? [loop(columns, 0), ...blocks] : [...blocks, loop(columns, 0)];
    const when = [is(staysOf(stage), at)];
    const sumsAt = outer.at(-1) ?? "";
    const weightsAt = stay === "weights" ? loop(columns, 0) : loop(depth, 0);
    const inputsAt = stay === "inputs" ? (blocks.at(-1) ?? loop(depth, 0)) : loop(depth, 0);
    return instructWhen(
      result,
      when,
      { kind: "reorder", loops: [...outer, loop(depth, 0), ...innerLoops(sums)] },
      { kind: "cache-write", block: stage.name, loop: sumsAt, scope: "workspace" },
      { kind: "cache-read", buffer: operandName(sums, "weights"), loop: weightsAt, layout: weightsLayout(sums) },
      { kind: "cache-read", buffer: operandName(sums, "inputs"), loop: inputsAt, layout: inputsLayout(sums) },
    );
  }, split);
  const inlined: Instruction<Operand>[] = isPadded
    ? (["inputs", "weights"] as const).map((operand) => ({ kind: "inline", block: operandName(sums, operand) }))
    : [];
  return instruct(
    placed,
    ...inlined,
    ...(reader ? [{ kind: "reverse-inline", block: reader.name } as const] : []),
    { kind: "tensorize", loop: loop(columns, 2), intrinsic: product.name },
    { kind: "tensorize", loop: `${loop(columns, 2)}.init`, intrinsic: reset.name },
  );
}

const splitOf = (loop: string, factors: readonly Operand[], tail: "mask" | "perfect"): Instruction<Operand> => ({
  kind: "split",
  loop,
  factors,
  tail,
});

const padding = ({ stage, depth }: MatrixProduct): Instruction<Operand> => ({
  kind: "pad",
  block: stage.name,
  multiples: stage.block.axes.map(({ name }) => (name === depth.name ? side : 1)),
});

function innerLoops({ stage, rows, columns, taps, depth }: MatrixProduct): readonly string[] {
  const loop = (name: string, level: number): string => `${loopName(stage.name, name)}.${level}`;
  return [
    ...rows.map(({ name }) => loop(name, 1)),
    loop(columns.name, 1),
    ...taps.map(({ name }) => loopName(stage.name, name)),
    loop(depth.name, 1),
    loop(columns.name, 2),
    loop(depth.name, 2),
  ];
}

/** The buffer that is loaded: the operand, or what pads it. */
const operandName = (sums: MatrixProduct, operand: "inputs" | "weights"): string =>
  `${sums[operand].buffer}${sums.isPadded ? ".pad" : ""}`;

const whole = (dim: number): LayoutDim<Operand> => ({ dim, part: "whole", tile: 1 });
const half = (dim: number, part: "outer" | "inner"): LayoutDim<Operand> => ({ dim, part, tile: side });

/** Inputs lie as in memory: the depth is their last dimension. */
const inputsLayout = ({ inputs }: MatrixProduct): readonly LayoutDim<Operand>[] => [...inputs.dims.keys()].map(whole);

/** Weights lie in tiles, those along the depth one after the other. */
function weightsLayout({ weights }: MatrixProduct): readonly LayoutDim<Operand>[] {
  const [deep, wide] = [weights.dims.length - 2, weights.dims.length - 1];
  const others = [...weights.dims.keys()].slice(0, -2).map(whole);
  return [...others, half(wide, "outer"), half(deep, "outer"), half(deep, "inner"), half(wide, "inner")];
}
