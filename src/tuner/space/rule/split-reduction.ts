// A reduction along an axis in which its operands lie in memory, with few results: vectors of partial results, several of
// them so that no sum waits for the one before, added up at the end. Reductions to a scalar, of rows, matrix times vector.
//
//   for i: for k: y[i] += A[i, k]·x[k]   →   for i in blocks of rows: for k in steps of vectors · lanes:
//                                              registers[row, vector, lane] += A[…]·x[…]
//                                            y[i] = Σ over vectors and lanes
//
// With a second operand that other rows share, C = A · Bᵀ of few rows, blocks have rows of both.
//
// A stage that another reads row by row is computed under the loop over the rows of that one.

import { type CpuTarget, type Instruction, loopName, type Operand } from "../../../compiler/index.ts";
import {
  atMost,
  constrain,
  type Draft,
  decide,
  derived,
  estimate,
  instruct,
  product,
  tunable,
} from "../draft/draft.ts";
import { type SummedAlong, stepsAlong, summedAlong } from "../draft/near-lanes.ts";
import {
  dependsOn,
  isReused,
  keepsOrder,
  type SchedulableStage,
  type SpatialAxis,
  sizedBy,
} from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { lanesFor } from "../draft/vector-lanes.ts";
import { registersBeside, streamFacts } from "../estimate/stream-estimate.ts";
import { placeInRow } from "../fusion/place-in-row.ts";
import { hasPlaced, rowPlacementOf } from "../fusion/row-placement.ts";
import { wholeStage } from "../fusion/whole-stage.ts";

export const splitReduction: SpaceRule = {
  name: "split-reduction",

  applies(stage, context) {
    const { task } = context;
    if (keepsOrder(stage, task.numerics)) return false;
    return (alongOf(stage, context)?.lanes ?? 1) > 1;
  },

  apply(draft, written, context) {
    const { op, target } = context.task;
    const { axis, lanes, picks } = alongOf(written, context)!;
    const reduce = [...written.reduce.filter((it) => it !== axis), axis];
    const stage: SchedulableStage = { ...written, reduce };
    const whole = { ...wholeStage(context.stages, written, op, draft.kept), reduce };
    const steps = picks ?? (whole.block === stage.block ? null : stepsAlong(whole, op, axis, lanes));
    const placement = rowPlacementOf(stage, context);
    const vectors = `vectors ${picks ? "of picked lanes " : ""}over ${axis.name}`;
    const schedule = (rows: readonly SpatialAxis[]): Draft => {
      const plan: SplitPlan = { stage, lanes, rows, loop: loopName(stage.name, axis.name) };
      const together = rows.map(({ name }) => name).join(" and ");
      const where = placement ? `under ${placement.loop}` : together ? `rows of ${together} together` : "row by row";
      const decided = decide(draft, `${stage.name}: ${vectors}, ${where}`);
      const placed = placement ? placeInRow(decided, stage, placement, context) : decided;
      const ordered = axis === written.reduce.at(-1) ? placed : instruct(placed, inOrder(stage));
      const estimated = estimate(limitRegisters(tunables(ordered, plan), plan, target), (assignment) =>
        streamFacts({
          stage: sizedBy(whole, assignment),
          target,
          lanes,
          vectors: assignment[vectorsOf(plan)]!,
          sums: assignment[vectorsOf(plan)]!,
          rows: new Map(rows.map((it) => [it.name, assignment[rowsOf(plan, it)]!])),
          isWarm: placement !== null || hasPlaced(stage, context),
          picks: steps,
        }),
      );
      return instruct(estimated, ...splits(plan), ...factors(plan), ...marks(plan), ...inRegisters(plan));
    };
    const isAlone = placement !== null || hasPlaced(stage, context);
    const all = (isAlone ? [[]] : rowsTogether(stage)).map(schedule);
    return [
      ...(picks ? context.otherwise(draft, stage.name) : []),
      ...(placement
        ? all.map((it) => instruct(it, { kind: "set-scope", buffer: stage.name, scope: "register" }))
        : all),
    ];
  },
};

const alongOf = (stage: SchedulableStage, { task }: RuleContext): SummedAlong | null =>
  summedAlong(stage, task.op, (extent) => lanesFor(stage, extent, task.target));

/** The loops that are summed over, the one of vectors inside the others. */
const inOrder = ({ name, reduce }: SchedulableStage): Instruction<Operand> => ({
  kind: "reorder",
  loops: reduce.map((axis) => loopName(name, axis.name)),
});

interface SplitPlan {
  readonly stage: SchedulableStage;
  readonly lanes: number;
  /** Axes of which several elements are computed together, the last one of the result last. */
  readonly rows: readonly SpatialAxis[];
  /** Loop over the last reduce axis. */
  readonly loop: string;
}

const vectorsOf = ({ loop }: SplitPlan): string => `${loop}.vectors`;
const rowLoopOf = ({ stage }: SplitPlan, { name }: SpatialAxis): string => loopName(stage.name, name);
const rowsOf = (plan: SplitPlan, axis: SpatialAxis): string => `${rowLoopOf(plan, axis)}.rows`;

/** Returns the axes of a block of rows, in each way that shares reads: of the last axis, and of another one with it, each of which shares its own. */
function rowsTogether(stage: SchedulableStage): readonly (readonly SpatialAxis[])[] {
  const last = stage.spatial.at(-1);
  if (!last || !sharesReads(last, stage)) return [[]];
  const moves = (one: SpatialAxis, still: SpatialAxis): boolean =>
    stage.reads.some((read) => dependsOn(read, one.name) && !dependsOn(read, still.name));
  const other = stage.spatial
    .slice(0, -1)
    .findLast((axis) => sharesReads(axis, stage) && moves(axis, last) && moves(last, axis));
  return other ? [[last], [other, last]] : [[last]];
}

/** Says whether rows of the axis share reads of an operand that does not depend on them. */
const sharesReads = ({ name, size, extent }: SpatialAxis, stage: SchedulableStage): boolean =>
  !size && extent > 1 && stage.reads.some((read) => isReused(stage, read) && !dependsOn(read, name));

function tunables(draft: Draft, plan: SplitPlan): Draft {
  const { stage, lanes, rows } = plan;
  const vectors = Math.ceil(stage.reduce.at(-1)!.extent / lanes);
  const withVectors = tunable(
    draft,
    vectorsOf(plan),
    [1, 2, 4, 8].filter((count) => count <= vectors),
  );
  return rows.reduce(
    (result, axis) =>
      tunable(
        result,
        rowsOf(plan, axis),
        [1, 2, 3, 4, 6].filter((count) => count <= axis.extent),
      ),
    withVectors,
  );
}

function limitRegisters(draft: Draft, plan: SplitPlan, target: CpuTarget): Draft {
  const registers = target.vectorRegisters;
  const { stage, rows } = plan;
  const [accumulators, live] = [`${stage.name}.accumulators`, `${stage.name}.live-registers`];
  const factor = [...rows.map((axis) => rowsOf(plan, axis)), vectorsOf(plan)];
  const counted = product(draft, accumulators, factor, `vectors of partial results of ${stage.name}`);
  const summed = constrain(derived(counted, live, { from: 1, to: 2 ** 16 }), {
    kind: "sum",
    result: live,
    // A vector of each of the first axis' rows stays, while those of the other pass.
    terms: [accumulators, ...rows.slice(0, -1).map((axis) => rowsOf(plan, axis))].map((term) => ({
      coefficient: 1,
      term,
    })),
    offset: registersBeside(stage, target),
    why: `registers live in the innermost loop of ${stage.name}`,
    role: "definition",
  });
  return atMost(summed, live, registers, `the partial results of ${stage.name} fit ${registers} vector registers`);
}

type Steps = readonly Instruction<Operand>[];

/** Splits the last reduce axis into steps, vectors and lanes; rows go inside all of the reduction but vectors and lanes. */
function splits(plan: SplitPlan): Steps {
  const { stage, lanes, rows, loop } = plan;
  const cut: Instruction<Operand> = {
    kind: "split",
    loop,
    factors: [0, { tunable: vectorsOf(plan) }, lanes],
    tail: "cut",
  };
  if (rows.length === 0) return [cut];
  const blocks = rows.map((axis) => rowLoopOf(plan, axis));
  // The longer axis is walked once, and the operand of the shorter one read again and again.
  const outer = rows.toSorted((a, b) => b.extent - a.extent).map((axis) => `${rowLoopOf(plan, axis)}.0`);
  const inner = [...outerReduceLoops(stage), `${loop}.0`, ...blocks.map((row) => `${row}.1`)];
  return [
    cut,
    ...rows.map(
      (axis, at) =>
        ({ kind: "split", loop: blocks[at]!, factors: [0, { tunable: rowsOf(plan, axis) }], tail: "cut" }) as const,
    ),
    { kind: "reorder", loops: rows.length === 1 ? inner : [...outer, ...inner] },
  ];
}

const outerReduceLoops = (stage: SchedulableStage): string[] =>
  stage.reduce.slice(0, -1).map(({ name }) => loopName(stage.name, name));

/** Splits lanes off, then vectors. */
const factors = ({ stage, loop }: SplitPlan): Steps => [
  { kind: "rfactor", loop: `${loop}.2` },
  { kind: "rfactor", loop: `${loop}.1` },
  { kind: "decompose-reduction", block: stage.name, loop: `${loop}.2.final` },
];

function marks(plan: SplitPlan): Steps {
  const { loop, rows } = plan;
  const copies = rows.flatMap((axis) =>
    ["", ".rf.final", ".final"].map((suffix) => `${rowLoopOf(plan, axis)}.1${suffix}`),
  );
  const unrolled = [...copies, `${loop}.1`, `${loop}.1.rf.final`];
  return [
    ...[`${loop}.2`, `${loop}.2.rf.final`, `${loop}.2.final`].map(
      (name) => ({ kind: "vectorize", loop: name }) as const,
    ),
    ...unrolled.map((name) => ({ kind: "unroll", loop: name }) as const),
  ];
}

const inRegisters = ({ stage, loop }: SplitPlan): Steps => [
  {
    kind: "decompose-reduction",
    block: `${stage.name}.rf.rf`,
    loop: outerReduceLoops(stage)[0] ?? `${loop}.0`,
  },
  ...[`${stage.name}.rf`, `${stage.name}.rf.rf`].map(
    (buffer) => ({ kind: "set-scope", buffer, scope: "register" }) as const,
  ),
];
