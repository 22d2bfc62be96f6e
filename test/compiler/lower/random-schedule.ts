// A naive nest + arbitrary numbers → a scheduled nest: each number picks an instruction and its arguments among what the
// nest offers at that point; what the primitives refuse is left out.

import type { Buffer, LoopFunc, TailStrategy } from "../../../src/compiler/ir/loop-ir.ts";
import { blocksIn, loopsIn } from "../../../src/compiler/schedule/nest.ts";
import { replay } from "../../../src/compiler/schedule/replay/replay.ts";
import type { Instruction } from "../../../src/compiler/schedule/trace.ts";

const tails = ["guard", "cut", "mask"] as const;
const factors = [2, 3, 4, 5, 6, 8, 16];

/** Draws numbers below `limit` out of one number. */
function chooser(seed: number): (limit: number) => number {
  let rest = seed;
  return (limit) => {
    const picked = rest % limit;
    rest = Math.floor(rest / limit);
    return picked;
  };
}

/** Instructions that the second half of the numbers picks from; the likelier ones stand more than once. */
const later = [
  "vectorize",
  "vectorize",
  "vectorize",
  "unroll",
  "unroll",
  "cache-write",
  "cache-write",
  "decompose-reduction",
  "compute-at",
  "cache-read",
  "reorder",
] as const;

function instructionFor(nest: LoopFunc, seed: number, mayShape: boolean): Instruction | null {
  const choose = chooser(seed);
  const pick = <T>(items: readonly T[]): T => items[choose(items.length)]!;
  const kind = mayShape ? pick(["split", "split", "reorder"] as const) : pick(later);
  const loops = loopsIn(nest.body).map(({ name }) => name);
  if (loops.length === 0) return null;
  const loop = pick(loops);
  const block = pick(blocksIn(nest.body).map(({ name }) => name));
  switch (kind) {
    case "split":
      return splitOf(loop, pick(factors), pick(tails));
    case "reorder":
      return { kind, loops: [loop, pick(loops)] };
    case "vectorize":
    case "unroll":
      return { kind, loop };
    case "cache-write":
      return { kind, block, loop, scope: pick(["register", "workspace"] as const) };
    case "decompose-reduction":
    case "compute-at":
      return { kind, block, loop };
    case "cache-read":
      return cacheReadOf(pick(nest.buffers), loop, pick(factors), choose(2) === 0);
  }
}

function cacheReadOf(buffer: Buffer, loop: string, tile: number, isTiled: boolean): Instruction {
  const whole = buffer.shape.map((_, dim) => ({ dim, part: "whole" as const, tile: 1 }));
  const last = { dim: buffer.shape.length - 1, tile };
  const tiled = [{ ...last, part: "outer" as const }, ...whole.slice(0, -1), { ...last, part: "inner" as const }];
  return { kind: "cache-read", buffer: buffer.name, loop, layout: isTiled ? tiled : whole };
}

/** Only a whole axis may be overshot: a part of one would run into its neighbour. */
const splitOf = (loop: string, factor: number, tail: TailStrategy): Instruction => ({
  kind: "split",
  loop,
  factors: [0, factor],
  tail: /\.\d+$/.test(loop) ? "perfect" : tail,
});

/** Splits come first: a cache names the loops around it, and those then stay as they are. */
export function randomSchedule(naive: LoopFunc, seeds: readonly number[]): LoopFunc {
  let nest = naive;
  for (const [at, seed] of seeds.entries()) {
    const instruction = instructionFor(nest, seed, at < seeds.length / 2);
    if (!instruction) continue;
    const result = replay(nest, [instruction]);
    if (result.kind === "ok") nest = result.nest;
  }
  return nest;
}
