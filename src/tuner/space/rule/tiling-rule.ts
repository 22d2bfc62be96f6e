// A rule that tiles a reduction, of the stage itself or of one that it reads, and can do so around another innermost tile
// than vectors: `tensorize` asks it to tile for an intrinsic.

import type { Draft } from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import type { PackChoice } from "../tiling/packing.ts";
import type { TiledAxis } from "../tiling/tiled-axis.ts";

export interface Tiling {
  /** The reduction that is tiled. */
  readonly stage: SchedulableStage;
  readonly axes: readonly TiledAxis[];
  readonly packs: readonly PackChoice[];
  /** Intrinsic that computes the innermost tile; null: vectors. */
  readonly intrinsic: string | null;
}

export interface TilingRule extends SpaceRule {
  /** Returns the reduction that the rule tiles where it schedules the stage; null: the rule does not apply. */
  readonly reductionOf: (stage: SchedulableStage, context: RuleContext) => SchedulableStage | null;
  /** Returns how the rule cuts the axes of that reduction, for vectors or tiles of an intrinsic of `lanes` lanes. */
  readonly axesOf: (
    stage: SchedulableStage,
    reduction: SchedulableStage,
    lanes: number,
    context: RuleContext,
  ) => readonly TiledAxis[];
  readonly tile: (draft: Draft, stage: SchedulableStage, tiling: Tiling, context: RuleContext) => Draft;
  /** Returns the loop over the lanes of the reduction's tile. */
  readonly laneLoop: (tiling: Tiling) => string;
}

/** Returns what a template's name says about the innermost tile. */
export const forIntrinsic = ({ intrinsic }: Tiling): string => (intrinsic ? ` for ${intrinsic}` : "");
