// How multi-level tiling cuts each axis, the names of the loops that come of it, and the tunables of their extents.
//
//   vector axis    j → j.0 outer, j.1 tiles of a block, j.2 vectors of a register tile, j.3 lanes
//   other spatial  i → i.0 outer, i.1 tiles of a block, i.2 rows of a register tile
//   last reduce    k → k.0 outer, k.1 steps of a block, k.2 unrolled
//   other reduce   stays whole

import { loopName } from "../../../compiler/index.ts";
import { atMost, type Draft, product, sortedUnique, tilesOf, tunable, valuesOf } from "../draft.ts";
import type { StageFacts } from "../stage-facts.ts";

type Axis = StageFacts["spatial"][number];

export interface TiledAxis {
  readonly axis: Axis;
  readonly role: "vector" | "spatial" | "reduce" | "whole";
  /** Name of the axis's first loop, and prefix of its tunables. */
  readonly loop: string;
  /** Lanes of the vector axis, else 1. */
  readonly lanes: number;
}

export const tiledAxes = (stage: StageFacts, lanes: number): readonly TiledAxis[] => {
  const vector = stage.spatial.at(-1)!;
  const tileable = stage.reduce.reduce((best, axis) => (axis.extent >= best.extent ? axis : best), stage.reduce[0]!);
  return [
    ...stage.spatial.map((axis): TiledAxis => {
      const role = axis === vector ? "vector" : "spatial";
      return { axis, role, loop: loopName(stage.name, axis.name), lanes: axis === vector ? lanes : 1 };
    }),
    ...stage.reduce.map((axis): TiledAxis => {
      const role = axis === tileable ? "reduce" : "whole";
      return { axis, role, loop: loopName(stage.name, axis.name), lanes: 1 };
    }),
  ];
};

/** Rows (or vectors) of a register tile, tiles of a block, elements of a block. */
export const registerOf = (it: TiledAxis): string => `${it.loop}.register`;
export const blockTilesOf = (it: TiledAxis): string => `${it.loop}.block-tiles`;
export const registerElementsOf = (it: TiledAxis): string => `${it.loop}.register-elements`;
export const blockOf = (it: TiledAxis): string => `${it.loop}.block`;
export const stepsOf = (it: TiledAxis): string => `${it.loop}.steps`;
export const unrollOf = (it: TiledAxis): string => `${it.loop}.unroll`;

/** Adds the tunables of an axis and what follows from them. */
export function tileAxis(draft: Draft, it: TiledAxis, registers: number): Draft {
  switch (it.role) {
    case "vector":
    case "spatial":
      return tileSpatial(draft, it, registers);
    case "reduce":
      return tileReduce(draft, it);
    case "whole":
      return draft;
  }
}

function tileSpatial(draft: Draft, it: TiledAxis, registers: number): Draft {
  const { extent, name } = it.axis;
  const vectors = Math.ceil(extent / it.lanes);
  const most = Math.min(vectors, it.role === "vector" ? 4 : registers - 2);
  const register = registerOf(it);
  const tiled = tilesOf(
    product(
      tunable(draft, register, range(1, most)),
      registerElementsOf(it),
      [register, it.lanes],
      `elements of ${name} in a register tile`,
    ),
    `${it.loop}.tiles`,
    extent,
    registerElementsOf(it),
    `register tiles along ${name}`,
  );
  const counts = valuesOf(tiled, `${it.loop}.tiles`);
  const blocked = tunable(tiled, blockTilesOf(it), blockCounts(counts));
  return product(
    atMost(blocked, blockTilesOf(it), `${it.loop}.tiles`, `a block of ${name} is no larger than the axis`),
    blockOf(it),
    [registerElementsOf(it), blockTilesOf(it)],
    `elements of ${name} in a block`,
  );
}

/** Powers of two and three times those, and every count that covers the axis in 1 … 4 blocks. */
function blockCounts(counts: readonly number[]): readonly number[] {
  const most = Math.max(...counts);
  const round = range(0, 16).flatMap((power) => [2 ** power, 3 * 2 ** power]);
  const even = counts.flatMap((count) => [1, 2, 3, 4].map((parts) => Math.ceil(count / parts)));
  return sortedUnique([...round, ...even].filter((count) => count <= most));
}

function tileReduce(draft: Draft, it: TiledAxis): Draft {
  const { extent, name } = it.axis;
  const unrolls = [1, 2, 4].filter((count) => count <= extent);
  const blocks = range(1, 8).map((parts) => Math.ceil(extent / parts));
  const steps = unrolls.flatMap((unroll) => blocks.map((block) => Math.ceil(block / unroll)));
  const tunables = tunable(tunable(draft, unrollOf(it), unrolls), stepsOf(it), steps);
  const blocked = product(tunables, blockOf(it), [stepsOf(it), unrollOf(it)], `elements of ${name} in a block`);
  return atMost(blocked, blockOf(it), extent + 3, `a block of ${name} is no larger than the axis`);
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(1, last - first + 1) }, (_, at) => first + at);
