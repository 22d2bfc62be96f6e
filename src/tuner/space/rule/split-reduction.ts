// A reduction along an axis in which its operands lie in memory, with few results: vectors of partial results, several of
// them so that no sum waits for the one before, added up at the end. Reductions to a scalar, of rows, matrix times vector.
//
//   for i: for k: y[i] += A[i, k]·x[k]   →   for i in blocks of rows: for k in steps of vectors · lanes:
//                                              registers[row, vector, lane] += A[…]·x[…]
//                                            y[i] = Σ over vectors and lanes
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
import { dependsOn, isReused, keepsOrder, type SchedulableStage, sizedBy } from "../draft/schedulable-stage.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { alongReduction } from "../draft/vector-axis.ts";
import { lanesFor } from "../draft/vector-lanes.ts";
import { registersBeside, streamFacts } from "../estimate/stream-estimate.ts";
import { placeInRow } from "../fusion/place-in-row.ts";
import { hasPlaced, rowPlacementOf } from "../fusion/row-placement.ts";

export const splitReduction: SpaceRule = {
  name: "split-reduction",

  applies(stage, { task }) {
    const axis = alongReduction(stage);
    return axis !== null && !keepsOrder(stage, task.numerics) && lanesFor(stage, axis.extent, task.target) > 1;
  },

  apply(draft, written, context) {
    const { target } = context.task;
    const axis = alongReduction(written)!;
    const stage: SchedulableStage = { ...written, reduce: [...written.reduce.filter((it) => it !== axis), axis] };
    const lanes = lanesFor(stage, axis.extent, target);
    const placement = rowPlacementOf(stage, context);
    const rows = placement || hasPlaced(stage, context) ? null : reusingRows(stage);
    const plan: SplitPlan = { stage, lanes, rows, loop: loopName(stage.name, axis.name) };
    const where = placement ? `under ${placement.loop}` : rows ? `rows of ${rows.name} together` : "row by row";
    const decided = decide(draft, `${stage.name}: vectors over ${axis.name}, ${where}`);
    const placed = placement ? placeInRow(decided, stage, placement, context) : decided;
    const ordered = axis === written.reduce.at(-1) ? placed : instruct(placed, inOrder(stage));
    const estimated = estimate(limitRegisters(tunables(ordered, plan), plan, target), (assignment) =>
      streamFacts({
        stage: sizedBy(stage, assignment),
        target,
        lanes,
        vectors: assignment[vectorsOf(plan)]!,
        sums: assignment[vectorsOf(plan)]!,
        rows: rows ? assignment[rowsOf(plan)]! : 1,
        isWarm: placement !== null || hasPlaced(stage, context),
      }),
    );
    const scheduled = instruct(estimated, ...splits(plan), ...factors(plan), ...marks(plan), ...inRegisters(plan));
    return [placement ? instruct(scheduled, { kind: "set-scope", buffer: stage.name, scope: "register" }) : scheduled];
  },
};

/** The loops that are summed over, the one of vectors inside the others. */
const inOrder = ({ name, reduce }: SchedulableStage): Instruction<Operand> => ({
  kind: "reorder",
  loops: reduce.map((axis) => loopName(name, axis.name)),
});

type StageAxis = SchedulableStage["spatial"][number];

interface SplitPlan {
  readonly stage: SchedulableStage;
  readonly lanes: number;
  /** Axis of which several elements are computed together. */
  readonly rows: StageAxis | null;
  /** Loop over the last reduce axis. */
  readonly loop: string;
}

const vectorsOf = ({ loop }: SplitPlan): string => `${loop}.vectors`;
const rowLoopOf = ({ stage, rows }: SplitPlan): string => loopName(stage.name, rows!.name);
const rowsOf = (plan: SplitPlan): string => `${rowLoopOf(plan)}.rows`;

/** Returns the axis whose rows share reads of an operand that does not depend on them. */
function reusingRows(stage: SchedulableStage): StageAxis | null {
  const last = stage.spatial.at(-1);
  if (!last || last.size || last.extent === 1 || !stage.reads.some((read) => isReused(stage, read))) return null;
  return stage.reads.some((read) => !dependsOn(read, last.name)) ? last : null;
}

function tunables(draft: Draft, plan: SplitPlan): Draft {
  const { stage, lanes, rows } = plan;
  const vectors = Math.ceil(stage.reduce.at(-1)!.extent / lanes);
  const withVectors = tunable(
    draft,
    vectorsOf(plan),
    [1, 2, 4, 8].filter((count) => count <= vectors),
  );
  if (!rows) return withVectors;
  return tunable(
    withVectors,
    rowsOf(plan),
    [1, 2, 3, 4, 6].filter((count) => count <= rows.extent),
  );
}

function limitRegisters(draft: Draft, plan: SplitPlan, target: CpuTarget): Draft {
  const registers = target.vectorRegisters;
  const { stage, rows } = plan;
  const [accumulators, live] = [`${stage.name}.accumulators`, `${stage.name}.live-registers`];
  const factor = rows ? [rowsOf(plan), vectorsOf(plan)] : [vectorsOf(plan)];
  const counted = product(draft, accumulators, factor, `vectors of partial results of ${stage.name}`);
  const summed = constrain(derived(counted, live, { from: 1, to: 2 ** 16 }), {
    kind: "sum",
    result: live,
    terms: [{ coefficient: 1, term: accumulators }],
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
  if (!rows) return [cut];
  const row = rowLoopOf(plan);
  return [
    cut,
    { kind: "split", loop: row, factors: [0, { tunable: rowsOf(plan) }], tail: "cut" },
    { kind: "reorder", loops: [...outerReduceLoops(stage), `${loop}.0`, `${row}.1`] },
  ];
}

const outerReduceLoops = (stage: SchedulableStage): string[] =>
  stage.reduce.slice(0, -1).map(({ name }) => loopName(stage.name, name));

/** Splits lanes off, then vectors. */
const factors = ({ loop }: SplitPlan): Steps => [
  { kind: "rfactor", loop: `${loop}.2` },
  { kind: "rfactor", loop: `${loop}.1` },
];

function marks(plan: SplitPlan): Steps {
  const { loop, rows } = plan;
  const copies = rows ? ["", ".rf.final", ".final"].map((suffix) => `${rowLoopOf(plan)}.1${suffix}`) : [];
  const unrolled = [...copies, `${loop}.1`, `${loop}.1.rf.final`, `${loop}.2.final`];
  return [
    ...[`${loop}.2`, `${loop}.2.rf.final`].map((name) => ({ kind: "vectorize", loop: name }) as const),
    ...unrolled.map((name) => ({ kind: "unroll", loop: name }) as const),
  ];
}

const inRegisters = ({ stage, loop }: SplitPlan): Steps => [
  {
    kind: "decompose-reduction",
    block: `${stage.name}.rf.rf`,
    loop: outerReduceLoops(stage)[0] ?? `${loop}.0`,
  },
  { kind: "set-scope", buffer: `${stage.name}.rf.rf`, scope: "register" },
];
