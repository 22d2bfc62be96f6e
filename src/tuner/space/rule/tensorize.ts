// A tiled reduction that an intrinsic of the target computes: beside the plain tiling one whose innermost tile is the
// intrinsic. What runs along its lanes is packed in groups of what it adds up, bytes are widened in the packs if need be.
//
//   j → … j.3 lanes of the intrinsic, k → … k.3 what one lane gains; innermost: j.3, k.3

import { type BlockIntrinsic, intrinsicsFor } from "../../../compiler/index.ts";
import type { TuningTask } from "../../task.ts";
import { type Draft, decide, instruct, instructWhen, is } from "../draft.ts";
import { type Access, dependsOn, type SchedulableStage } from "../schedulable-stage.ts";
import { type PackChoice, packChoices } from "../tiling/packing.ts";
import { type TiledAxis, tiledAxes } from "../tiling/tiled-axis.ts";
import { multiLevelTiling, type Tiling, tileStage } from "./multi-level-tiling.ts";
import type { SpaceRule } from "./space-rule.ts";

export const tensorize: SpaceRule = {
  name: "tensorize",

  applies: (stage, context) => multiLevelTiling.applies(stage, context) && tensorized(stage, context.task) !== null,

  apply(draft, stage, context) {
    const { found, tiling } = tensorized(stage, context.task)!;
    const named = decide(draft, `${stage.name} tiled for ${found.intrinsic.name}`);
    const tiled = tileStage(named, tiling, context.task.target);
    return [...multiLevelTiling.apply(draft, stage, context), withIntrinsic(tiled, tiling, found, stage)];
  },
};

interface Tensorized {
  readonly found: BlockIntrinsic;
  readonly tiling: Tiling;
}

/** The best intrinsic that computes the stage, and the tiling for it; null if there is none. */
function tensorized(stage: SchedulableStage, task: TuningTask): Tensorized | null {
  for (const found of intrinsicsFor(stage.block, task.target, task.numerics)) {
    const tiling = tilingFor(stage, found, task);
    if (tiling) return { found, tiling };
  }
  return null;
}

function tilingFor(stage: SchedulableStage, { lanes, group, operandType }: BlockIntrinsic, task: TuningTask) {
  const reads = stage.reads.map((read): Access => ({ ...read, dtype: operandType(read.buffer) ?? read.dtype }));
  const widened: SchedulableStage = { ...stage, reads };
  const axes = tiledAxes(widened, lanes, task).map(
    (it): TiledAxis => (it.role === "reduce" ? { ...it, lanes: group } : it),
  );
  const vector = axes.find((it) => it.role === "vector")!;
  const reduce = axes.find((it) => it.role === "reduce")!;
  if (vector.axis.extent < lanes || reduce.axis.extent < group) return null;
  const packs = packChoices(widened, axes).map((pack) => alwaysWhereNeeded(pack, vector, reduce));
  const isReady = (read: Access): boolean => {
    const pack = packs.find(({ packable }) => packable.access === read);
    if (read.guarded && !pack) return false;
    return (pack && isGroupedPack(pack)) || liesInGroups(read, vector, reduce);
  };
  return reads.every(isReady) ? { stage: widened, axes, packs } : null;
}

const isGroupedPack = ({ packable, tunable }: PackChoice): boolean => packable.isGrouped && tunable === null;

/** An operand that does not lie as the intrinsic wants it is packed in any case. */
const alwaysWhereNeeded = (pack: PackChoice, vector: TiledAxis, reduce: TiledAxis): PackChoice =>
  liesInGroups(pack.packable.access, vector, reduce) ? pack : { ...pack, tunable: null };

/** The same for all lanes, neighbours along the reduce axis side by side. */
const liesInGroups = (read: Access, vector: TiledAxis, reduce: TiledAxis): boolean =>
  !dependsOn(read, vector.axis.name) &&
  read.dims.every((dim, at) => (dim?.get(reduce.axis.name) ?? 0) === (at === read.dims.length - 1 ? 1 : 0));

function withIntrinsic(draft: Draft, { axes, packs }: Tiling, { intrinsic }: BlockIntrinsic, stage: SchedulableStage) {
  const narrow = packs.filter(({ packable: { access } }) =>
    stage.reads.some((read) => read.buffer === access.buffer && read.dtype !== access.dtype),
  );
  const widened = narrow.reduce((result, { packable: { access }, tunable }) => {
    const when = tunable ? [is(tunable, 1)] : [];
    return instructWhen(result, when, { kind: "set-dtype", buffer: `${access.buffer}.pack`, dtype: access.dtype });
  }, draft);
  const { loop } = axes.find((it) => it.role === "vector")!;
  return instruct(widened, { kind: "tensorize", loop: `${loop}.3`, intrinsic: intrinsic.name });
}
