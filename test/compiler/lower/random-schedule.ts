// A naive nest + arbitrary numbers → a scheduled nest: each number picks an instruction and its arguments among what the
// nest offers at that point; what the primitives refuse is left out.

import type { LoopFunc, TailStrategy } from "../../../src/compiler/ir/loop-ir.ts";
import { blocksIn, loopsIn } from "../../../src/compiler/schedule/nest.ts";
import { replay } from "../../../src/compiler/schedule/replay.ts";
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

function instructionFor(nest: LoopFunc, seed: number, mayShape: boolean): Instruction | null {
  const choose = chooser(seed);
  const pick = <T>(items: readonly T[]): T => items[choose(items.length)]!;
  const kind = mayShape ? choose(6) : 4 + choose(8);
  const loops = loopsIn(nest.body).map(({ name }) => name);
  const blocks = blocksIn(nest.body).map(({ name }) => name);
  if (loops.length === 0) return null;
  const loop = pick(loops);
  if (kind < 4) return splitOf(loop, pick(factors), pick(tails));
  if (kind < 6) return { kind: "reorder", loops: [loop, pick(loops)] };
  if (kind === 6) return { kind: "vectorize", loop };
  if (kind === 7) return { kind: "unroll", loop };
  if (kind === 8)
    return { kind: "cache-write", block: pick(blocks), loop, scope: pick(["register", "workspace"] as const) };
  if (kind === 9) return { kind: "decompose-reduction", block: pick(blocks), loop };
  if (kind === 10) return { kind: "compute-at", block: pick(blocks), loop };
  const buffer = pick(nest.buffers);
  const whole = buffer.shape.map((_, dim) => ({ dim, part: "whole" as const, tile: 1 }));
  const tile = pick(factors);
  const last = buffer.shape.length - 1;
  const tiled = [
    { dim: last, part: "outer" as const, tile },
    ...whole.slice(0, -1),
    { dim: last, part: "inner" as const, tile },
  ];
  return { kind: "cache-read", buffer: buffer.name, loop, layout: choose(2) === 0 ? whole : tiled };
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
