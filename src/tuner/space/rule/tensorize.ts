// Schedules a tiled reduction with an intrinsic of the target. It stands beside the rule that tiles the reduction,
// and adds the same schedule around a tile of the intrinsic. So a reduction on its own and one that is finished in
// registers are tensorized alike. Operands along its lanes are packed in the groups that it adds up; bytes are widened
// in the packs if need be. Besides the best intrinsic whose result is one row the best of those whose result has several
// makes a template.
//
//   j → … lanes of the intrinsic, k → … what one lane gains, i → … its rows; innermost: rows, lanes, gains

import { type BlockIntrinsic, type Intrinsic, intrinsicsFor } from "../../../compiler/index.ts";
import { type Draft, instruct, instructWhen, is } from "../draft/draft.ts";
import { type Access, dependsOn, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { type PackChoice, packChoices, packName } from "../tiling/packing.ts";
import { fillPads, padBy, paddedReduction } from "../tiling/padded-reduction.ts";
import type { TiledAxis } from "../tiling/tiled-axis.ts";
import { isTilingRule, type Tiling, type TilingRule } from "./tiling-rule.ts";

export const tensorize: SpaceRule = {
  name: "tensorize",
  alongside: true,

  applies: (stage, context) => tensorized(stage, context).length > 0,

  apply: (draft, stage, context) => [
    ...context.otherwise(draft, stage.name),
    ...tensorized(stage, context).map(({ rule, tiling, padded }) => {
      const before = padded ? instruct(draft, padBy(tiling.stage, padded)) : draft;
      const tiled = rule.tile(before, stage, tiling, context);
      const after = padded ? fillPads(tiling.stage, tiling.packs, context.task.target) : [];
      return withIntrinsic(instruct(tiled, ...after), tiling, rule, stage, context);
    }),
  ],
};

interface Tensorized {
  /** The rule that tiles the stage, or what the stage reads. */
  readonly rule: TilingRule;
  readonly tiling: Tiling;
  /** Multiple that the reduce axis is rounded up to; null: the extent already is one. */
  readonly padded: number | null;
}

/** Returns the tilings for the best intrinsics that compute the reduction: of those with one row, and of those with several. */
function tensorized(stage: SchedulableStage, context: RuleContext): readonly Tensorized[] {
  const rule = context.ruleOf(stage);
  const reduction = rule && isTilingRule(rule) ? rule.reductionOf(stage, context) : null;
  if (!rule || !isTilingRule(rule) || !reduction) return [];
  const { target, numerics } = context.task;
  const found = intrinsicsFor(reduction.block, target, numerics).filter(
    ({ intrinsic: { operands } }) => operands === "vectors",
  );
  const [inRows, inOneRow] = [found.filter(({ rows }) => rows > 1), found.filter(({ rows }) => rows === 1)];
  return [inOneRow, inRows].flatMap((them) => bestOf(them, rule, stage, reduction, context) ?? []);
}

function bestOf(
  intrinsics: readonly BlockIntrinsic[],
  rule: TilingRule,
  stage: SchedulableStage,
  reduction: SchedulableStage,
  context: RuleContext,
): Tensorized | null {
  for (const found of intrinsics) {
    const { lanes, rows, group } = found;
    const axesOf = (it: SchedulableStage): readonly TiledAxis[] => rule.axesOf(stage, it, lanes / rows, context);
    const isWhole = reduction.reduce.at(-1)!.extent % group === 0;
    const padded = isWhole ? null : paddedReduction(reduction, group, context);
    const tiling = (padded && tilingFor(padded, found, axesOf)) ?? tilingFor(reduction, found, axesOf);
    if (tiling) return { rule, tiling, padded: tiling.stage.reduce === padded?.reduce ? group : null };
  }
  return null;
}

function tilingFor(
  stage: SchedulableStage,
  { intrinsic, lanes, rows, group, operandType }: BlockIntrinsic,
  axesOf: (stage: SchedulableStage) => readonly TiledAxis[],
): Tiling | null {
  const reads = stage.reads.map((read): Access => ({ ...read, dtype: operandType(read.buffer) ?? read.dtype }));
  const widened: SchedulableStage = { ...stage, reads };
  const cut = axesOf(widened).map((it): TiledAxis => (it.role === "reduce" ? { ...it, lanes: group } : it));
  const axes = rows === 1 ? cut : inRows(cut, stage, intrinsic, rows);
  if (!axes) return null;
  const vector = axes.find((it) => it.role === "vector")!;
  const reduce = axes.find((it) => it.role === "reduce")!;
  if (vector.axis.extent < lanes / rows || reduce.axis.extent < group) return null;
  const packs = packChoices(widened, axes).map((pack) =>
    rows > 1 ? { ...pack, tunable: null } : alwaysWhereNeeded(pack, vector, reduce),
  );
  const isReady = (read: Access): boolean => {
    const pack = packs.find(({ packable }) => packable.access === read);
    if (read.guarded && !pack) return false;
    return (pack && isGroupedPack(pack)) || (rows === 1 && liesInGroups(read, vector, reduce));
  };
  return reads.every(isReady) ? { stage: widened, axes, packs, intrinsic: intrinsic.name } : null;
}

/**
 * The axes with that of the rows of the intrinsic: the innermost that one operand has and not the lanes' operand. Null where there is none,
 * the operands are of other types, or a last group would not be whole.
 */
function inRows(
  axes: readonly TiledAxis[],
  { reads }: SchedulableStage,
  { meaning }: Intrinsic,
  rows: number,
): readonly TiledAxis[] | null {
  const vector = axes.find((it) => it.role === "vector")!;
  const reduce = axes.find((it) => it.role === "reduce")!;
  const row = axes.findLast(({ role, isTiled, axis }) => {
    const isOfOne = reads.every((read) => dependsOn(read, axis.name) !== dependsOn(read, vector.axis.name));
    return role === "spatial" && isTiled && isOfOne;
  });
  if (!row || row.axis.extent < rows || reduce.axis.extent % reduce.lanes !== 0) return null;
  const [, left, right] = meaning.buffers;
  const isOperand = (read: Access): boolean => read.dtype === (dependsOn(read, vector.axis.name) ? right : left)!.dtype;
  return reads.every(isOperand) ? axes.map((it) => (it === row ? { ...it, lanes: rows } : it)) : null;
}

const isGroupedPack = ({ packable, tunable }: PackChoice): boolean => packable.isGrouped && tunable === null;

/** Makes a pack unconditional where the operand does not lie as the intrinsic wants it, or has padding. */
const alwaysWhereNeeded = (pack: PackChoice, vector: TiledAxis, reduce: TiledAxis): PackChoice => {
  const { access } = pack.packable;
  return liesInGroups(access, vector, reduce) && !access.guarded ? pack : { ...pack, tunable: null };
};

/** Says whether an operand is the same for all lanes, with neighbours along the reduce axis side by side. */
const liesInGroups = (read: Access, vector: TiledAxis, reduce: TiledAxis): boolean =>
  !dependsOn(read, vector.axis.name) &&
  read.dims.every((dim, at) => (dim?.get(reduce.axis.name) ?? 0) === (at === read.dims.length - 1 ? 1 : 0));

function withIntrinsic(
  draft: Draft,
  tiling: Tiling,
  rule: TilingRule,
  stage: SchedulableStage,
  context: RuleContext,
): Draft {
  const { reads } = rule.reductionOf(stage, context)!;
  const narrow = tiling.packs.filter(
    ({ packable: { access } }) => reads[tiling.stage.reads.indexOf(access)]!.dtype !== access.dtype,
  );
  const widened = narrow.reduce((result, pack) => {
    const when = pack.tunable ? [is(pack.tunable, 1)] : [];
    return instructWhen(result, when, {
      kind: "set-dtype",
      buffer: packName(pack),
      dtype: pack.packable.access.dtype,
    });
  }, draft);
  return instruct(widened, { kind: "tensorize", loop: rule.laneLoop(tiling), intrinsic: tiling.intrinsic! });
}
