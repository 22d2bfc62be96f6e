// Maps of which one other map reads windows of rows: elements of neighbouring rows, at places that move with the reader's own. Each row of them
// can be computed just before it is read for the first time.

import { type Expr, gcd, toAffine } from "../../../compiler/index.ts";
import { stepsOf } from "../draft/index-steps.ts";
import { isMap, type SchedulableStage } from "../draft/schedulable-stage.ts";
import { isVectorizableInside } from "../draft/vector-axis.ts";
import { type InlinedWork, inlinedStages, inlinedWork } from "./inlined-stages.ts";

export interface RowWindow {
  readonly producer: SchedulableStage;
  /** Position of the rows among the axes of both stages. */
  readonly at: number;
  /** Rows from the first to the last one that is read at a time. */
  readonly span: number;
}

/** Says whether a stage is a map of rows, of which nothing is placed elsewhere. */
export const isMapOfRows = ({ spatial, ...stage }: SchedulableStage): boolean =>
  isMap({ spatial, ...stage }) && spatial.length > 1 && !spatial.some(({ isPart, size }) => isPart || size);

/** Returns the producers of whose rows the stage alone reads windows, where vectors lie along the last axes of both. */
export function rowWindows(
  stage: SchedulableStage,
  kept: ReadonlySet<string>,
  stages: readonly SchedulableStage[],
): readonly RowWindow[] {
  const inlined = new Set([...inlinedStages(stages)].filter((name) => !kept.has(name)));
  const workOf = ({ name }: SchedulableStage): InlinedWork => inlinedWork(stages, name, kept);
  const own = workOf(stage);
  if (!isMapOfRows(stage) || !liesAlong(stage, own)) return [];
  const others = stages.filter((it) => it !== stage && !inlined.has(it.name));
  const isGuarded = (producer: string): boolean =>
    [...own.places.keys()].some(({ reads }) =>
      reads.some(({ guarded, buffer }) => guarded && (buffer === producer || inlined.has(buffer))),
    );
  return others.flatMap((producer) => {
    const elements = own.elements.get(producer.name);
    if (!elements || producer.isOutput || !isMapOfRows(producer) || isGuarded(producer.name)) return [];
    const isOwn = others.every((it) => !workOf(it).elements.has(producer.name));
    return isOwn && liesAlong(producer, workOf(producer)) ? (windowOf(stage, producer, elements) ?? []) : [];
  });
}

/** Says whether vectors along the last axis load operands that lie along it. */
function liesAlong({ spatial, reads }: SchedulableStage, { elements }: InlinedWork): boolean {
  const axis = spatial.at(-1)!.name;
  const isAlong = (index: Expr, dim: number, { length }: readonly Expr[]): boolean => {
    const steps = stepsOf(index);
    return steps !== null && (!steps.has(axis) || (dim === length - 1 && steps.get(axis) === 1));
  };
  return [...elements].every(([buffer, all]) => {
    const direct = reads.filter((read) => read.buffer === buffer);
    if (direct.length > 0) return direct.every((read) => isVectorizableInside(read, axis));
    return all.every((indices) => indices.every(isAlong));
  });
}

function windowOf(
  { spatial }: SchedulableStage,
  producer: SchedulableStage,
  elements: readonly (readonly Expr[])[],
): RowWindow | null {
  const isWalked = elements.every((indices) =>
    indices.every((index, dim) => {
      const steps = stepsOf(index);
      return steps?.size === 1 && steps.get(spatial[dim]?.name ?? "") === 1;
    }),
  );
  if (!isWalked || producer.spatial.length !== spatial.length) return null;
  const places = spatial.map((_, dim) => elements.map((indices) => toAffine(indices[dim]!).constant));
  const spans = places.map((all) => Math.max(...all) - Math.min(...all));
  const at = spans.findIndex((span) => span > 0);
  const span = spans[at];
  if (span === undefined || at === spatial.length - 1 || span >= spatial[at]!.extent) return null;
  // Every second row alone is no window that moves row by row.
  const step = places[at]!.map((place) => place - places[at]![0]!).reduce((all, way) => gcd(all, Math.abs(way)), 0);
  const isWhole = producer.spatial.every(
    ({ extent }, dim) => dim === at || extent === spatial[dim]!.extent + spans[dim]!,
  );
  return isWhole && step === 1 ? { producer, at, span } : null;
}
