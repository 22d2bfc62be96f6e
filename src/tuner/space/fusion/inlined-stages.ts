// Decides which element-wise stages are computed where they are read: those that are cheaper to compute again than to store. A
// stage that is read at several places is computed for each of them, and so are the stages inlined into it. Stencils of
// several stages would take ever more taps, so the growth is counted.

import {
  depthOf,
  type Expr,
  exprKey,
  operandsOf,
  remembered,
  simplifyIndex,
  someExpr,
  substitute,
  walkExpr,
} from "../../../compiler/index.ts";
import { isReused, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { MapBody } from "../estimate/map-estimate.ts";

/** Most operations for one element of a reader, where a stage is computed at several places for it. */
const mostRepeated = 64;
/** Deepest nesting of operations in one expression: a half of what the language allows. */
const mostDeep = 1000;

/** Returns the names of the stages that are inlined. */
export const inlinedStages = remembered((stages: readonly SchedulableStage[]): ReadonlySet<string> => {
  const inlined = new Map<string, Work>();
  for (const stage of stages) {
    const work = workOf(stage, inlined);
    if (isInlined(stage, work, stages)) inlined.set(stage.name, work);
  }
  return new Set(inlined.keys());
});

/** Work for one element of a stage, with that of the stages inlined into it. */
export interface InlinedWork {
  readonly operations: number;
  /** Stages that are computed for the element, the stage itself among them, and at how many places. */
  readonly places: ReadonlyMap<SchedulableStage, number>;
  /** Different elements that are read of each other buffer, as indices over the axes of the stage. */
  readonly elements: ReadonlyMap<string, readonly (readonly Expr[])[]>;
}

/** Returns the work for one element of a stage where all stages but the kept ones are inlined that may be. */
export function inlinedWork(
  stages: readonly SchedulableStage[],
  name: string,
  kept: ReadonlySet<string> = new Set(),
): InlinedWork {
  const { places } = worksKeeping(stages, kept).get(name)!;
  const isInline = (buffer: string): boolean => inlinedStages(stages).has(buffer) && !kept.has(buffer);
  const elements = new Map<string, Places>();
  for (const [needed, own] of places) {
    for (const buffer of new Set(needed.reads.map((read) => read.buffer))) {
      if (isInline(buffer)) continue;
      const read = [...readPlaces(needed, buffer).values()];
      const all = placesOf([...own.values()].flatMap((place) => read.map((it) => atPlace(needed, place, it))));
      elements.set(buffer, new Map([...(elements.get(buffer) ?? []), ...all]));
    }
  }
  return {
    operations: [...places].reduce((sum, [needed, { size }]) => sum + size * needed.operations, 0),
    places: new Map([...places].map(([needed, { size }]) => [needed, size])),
    elements: new Map([...elements].map(([buffer, all]) => [buffer, [...all.values()]])),
  };
}

/** The same as an estimate wants it. */
export function inlinedBody(stages: readonly SchedulableStage[], name: string, kept?: ReadonlySet<string>): MapBody {
  const { operations, elements } = inlinedWork(stages, name, kept);
  const inner = stages.find((it) => it.name === name)?.spatial.at(-1)?.name;
  const moves = (index: Expr): boolean => someExpr(index, (node) => node.kind === "var" && node.name === inner);
  const counted = (isCounted: (indices: readonly Expr[]) => boolean): ReadonlyMap<string, number> =>
    new Map([...elements].map(([buffer, all]) => [buffer, all.filter(isCounted).length]));
  return {
    results: 1,
    operations: Math.max(1, operations),
    multiplyAdds: 0,
    loads: counted(() => true),
    still: counted((indices) => !indices.some(moves)),
  };
}

/** Returns the work of every stage where the kept ones are not inlined. */
function worksKeeping(stages: readonly SchedulableStage[], kept: ReadonlySet<string>): ReadonlyMap<string, Work> {
  const known = keptWorks(stages);
  const key = [...kept].toSorted().join();
  const found = known.get(key);
  if (found) return found;
  const [all, inlined] = [new Map<string, Work>(), new Map<string, Work>()];
  for (const stage of stages) {
    const work = workOf(stage, inlined);
    all.set(stage.name, work);
    if (inlinedStages(stages).has(stage.name) && !kept.has(stage.name)) inlined.set(stage.name, work);
  }
  known.set(key, all);
  return all;
}

const keptWorks = remembered((_: readonly SchedulableStage[]) => new Map<string, ReadonlyMap<string, Work>>());

/** Cost of one element of a stage, with the inlined stages that it reads. */
interface Work {
  /** Every stage that is computed for the element, the stage itself included, and the places at which each is. */
  readonly places: ReadonlyMap<SchedulableStage, Places>;
  readonly depth: number;
  readonly callsFunctions: boolean;
}

/** Indices over the axes of the stage that needs them, by their keys. */
type Places = ReadonlyMap<string, readonly Expr[]>;

function workOf(stage: SchedulableStage, inlined: ReadonlyMap<string, Work>): Work {
  const places = new Map<SchedulableStage, Places>([[stage, placesOf([identity(stage)])]]);
  const producers = [...inlined].filter(([name]) => stage.reads.some((read) => read.buffer === name));
  for (const [name, work] of producers) {
    for (const [needed, inner] of placesThrough(stage, name, work)) {
      places.set(needed, new Map([...(places.get(needed) ?? []), ...inner]));
    }
  }
  const works = producers.map(([, work]) => work);
  return {
    places,
    depth: depthOf(stage.block.value, operandsOf) + Math.max(0, ...works.map(({ depth }) => depth)),
    callsFunctions: stage.callsFunctions || works.some(({ callsFunctions }) => callsFunctions),
  };
}

const identity = ({ block }: SchedulableStage): readonly Expr[] =>
  block.axes.map(({ name }): Expr => ({ kind: "var", dtype: "i32", name }));

const placesOf = (all: readonly (readonly Expr[])[]): Places =>
  new Map(all.map((indices) => [indices.map(exprKey).join(), indices]));

/** Returns the places at which `reader` needs each stage when `producer` is inlined into it. */
function placesThrough(
  reader: SchedulableStage,
  producer: string,
  { places }: Work,
): ReadonlyMap<SchedulableStage, Places> {
  const read = [...readPlaces(reader, producer).values()];
  const [own] = places.keys();
  return new Map(
    [...places].map(([needed, inner]) => [
      needed,
      placesOf(read.flatMap((place) => [...inner.values()].map((indices) => atPlace(own!, place, indices)))),
    ]),
  );
}

/** Indices over the axes of a stage, where these have the values of a place. */
function atPlace({ block }: SchedulableStage, place: readonly Expr[], indices: readonly Expr[]): readonly Expr[] {
  const axes = new Map(block.axes.map(({ name }, at) => [name, place[at]!]));
  return indices.map((index) => simplifyIndex(substitute(index, axes)));
}

function readPlaces({ block }: SchedulableStage, buffer: string): Places {
  const read: (readonly Expr[])[] = [];
  walkExpr(block.value, (node) => {
    if (node.kind === "load" && node.buffer === buffer) read.push(node.indices);
  });
  return placesOf(read);
}

/**
 * Says whether a stage is inlined: each reader reads each element once, a stage with costly functions has one reader,
 * and little is computed again.
 */
function isInlined(stage: SchedulableStage, work: Work, stages: readonly SchedulableStage[]): boolean {
  if (stage.isOutput || stage.reduce.length > 0 || work.depth > mostDeep) return false;
  const readers = stages.filter((reader) => stage.readers.includes(reader.name));
  const readsOnce = (reader: SchedulableStage): boolean =>
    reader.reads.filter((read) => read.buffer === stage.name).every((read) => !isReused(reader, read));
  if (!readers.every(readsOnce) || (readers.length !== 1 && work.callsFunctions)) return false;
  return readers.every((reader) => repeatedOperations(reader, stage, work) <= mostRepeated);
}

/** Counts operations that the stage takes for one element of a reader; 0 if it is computed at only one place for it. */
function repeatedOperations(reader: SchedulableStage, stage: SchedulableStage, work: Work): number {
  if (readPlaces(reader, stage.name).size <= 1) return 0;
  let operations = 0;
  for (const [needed, { size }] of placesThrough(reader, stage.name, work)) operations += size * needed.operations;
  return operations;
}
