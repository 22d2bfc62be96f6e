// Random instructions for a nest, legal or not: the loops, blocks and buffers exist, all else is drawn freely.

import type { Buffer, Instruction, LayoutDim, LoopFunc } from "../../src/compiler/index.ts";
import { intrinsics } from "../../src/compiler/intrinsic/intrinsics.ts";
import { blocksIn, findBlock, loopsIn } from "../../src/compiler/schedule/nest.ts";
import { createRng, type Rng } from "../../src/tuner/support/rng.ts";

/** The same seed gives the same instruction for the same nest. */
export function drawInstruction(nest: LoopFunc, seed: number): Instruction {
  const rng = createRng(seed);
  return rng.pick(drawers)(nest, rng);
}

type Drawer = (nest: LoopFunc, rng: Rng) => Instruction;

const loopOf: (nest: LoopFunc, rng: Rng) => string = ({ body }, rng) => rng.pick(loopsIn(body)).name;
const blockOf: (nest: LoopFunc, rng: Rng) => string = ({ body }, rng) => rng.pick(blocksIn(body)).name;
const bufferOf = ({ buffers }: LoopFunc, rng: Rng) => rng.pick(buffers);

const split: Drawer = (nest, rng) => {
  const factor = (): number => 1 + rng.below(5);
  const factors = rng.pick([
    [0, factor()],
    [factor(), 0],
    [0, factor(), factor()],
    [factor(), factor()],
  ]);
  return {
    kind: "split",
    loop: loopOf(nest, rng),
    factors,
    tail: rng.pick(["perfect", "guard", "cut", "mask", "shift"]),
  };
};

const fuse: Drawer = (nest, rng) => {
  const outer = rng.pick(loopsIn(nest.body));
  return { kind: "fuse", outer: outer.name, inner: outer.body.kind === "for" ? outer.body.name : loopOf(nest, rng) };
};

/** Some of the loops around a block. */
const reorder: Drawer = (nest, rng) => {
  const around = findBlock(nest, blockOf(nest, rng))!.around.map(({ name }) => name);
  return { kind: "reorder", loops: rng.shuffle(around).slice(0, 1 + rng.below(around.length)) };
};

const partition: Drawer = (nest, rng) => {
  const { name, extent } = rng.pick(loopsIn(nest.body));
  const points = Array.from({ length: 1 + rng.below(2) }, () => 1 + rng.below(extent));
  return { kind: "loop-partition", loop: name, at: points.sort((a, b) => a - b) };
};

const mark: Drawer = (nest, rng) => {
  const around = findBlock(nest, blockOf(nest, rng))!.around;
  const loop = rng.below(2) === 0 ? around.at(-1)!.name : loopOf(nest, rng);
  return { kind: rng.pick(["vectorize", "vectorize", "unroll", "parallel"]), loop };
};

const annotate: Drawer = (nest, rng) =>
  rng.below(2) === 0
    ? { kind: "unroll", loop: loopOf(nest, rng), depth: 1 + rng.below(4) }
    : { kind: "annotate", loop: loopOf(nest, rng), key: rng.pick(["unroll", "note"]), value: 1 + rng.below(9) };

const prefetch: Drawer = (nest, rng) => ({
  kind: "prefetch",
  buffer: bufferOf(nest, rng).name,
  loop: loopOf(nest, rng),
  distance: rng.below(4),
});

const reverseComputeAt: Drawer = (nest, rng) => ({
  kind: "reverse-compute-at",
  block: blockOf(nest, rng),
  loop: loopOf(nest, rng),
});

const reverseInline: Drawer = (nest, rng) => ({ kind: "reverse-inline", block: blockOf(nest, rng) });

/** Mostly loops with an equal extent. */
const mergeLoops: Drawer = (nest, rng) => {
  const loops = loopsIn(nest.body);
  const first = rng.pick(loops);
  const alike = loops.filter((loop) => loop !== first && loop.extent === first.extent);
  const second = alike.length > 0 && rng.below(8) > 0 ? rng.pick(alike) : rng.pick(loops);
  return { kind: "merge-loops", first: first.name, second: second.name };
};

const computeAt: Drawer = (nest, rng) => ({
  kind: "compute-at",
  block: blockOf(nest, rng),
  loop: loopOf(nest, rng),
});

const inline: Drawer = (nest, rng) => ({ kind: "inline", block: blockOf(nest, rng) });

const layoutOf = ({ shape }: Buffer, rng: Rng): readonly LayoutDim<number>[] => {
  const dims = [...shape.keys()].flatMap((dim): LayoutDim<number>[] => {
    if (rng.below(2) === 0) return [{ dim, part: "whole", tile: 1 }];
    const tile = 1 + rng.below(5);
    return [
      { dim, part: "outer", tile },
      { dim, part: "inner", tile },
    ];
  });
  return rng.shuffle(dims);
};

const cacheRead: Drawer = (nest, rng) => {
  const buffer = bufferOf(nest, rng);
  return { kind: "cache-read", buffer: buffer.name, loop: loopOf(nest, rng), layout: layoutOf(buffer, rng) };
};

const transformLayout: Drawer = (nest, rng) => {
  const buffer = bufferOf(nest, rng);
  return { kind: "transform-layout", buffer: buffer.name, layout: layoutOf(buffer, rng) };
};

const storageAlign: Drawer = (nest, rng) => {
  const { name, shape } = bufferOf(nest, rng);
  const factor = 1 + rng.below(9);
  return { kind: "storage-align", buffer: name, dim: rng.below(shape.length), factor, offset: rng.below(factor) };
};

const pad: Drawer = (nest, rng) => {
  const { name, axes } = rng.pick(blocksIn(nest.body));
  return { kind: "pad", block: name, multiples: axes.map(() => rng.pick([1, 1, 2, 4])) };
};

const doubleBuffer: Drawer = (nest, rng) => ({ kind: "double-buffer", buffer: bufferOf(nest, rng).name });

const cacheWrite: Drawer = (nest, rng) => {
  const block = blockOf(nest, rng);
  const around = findBlock(nest, block)!.around;
  return { kind: "cache-write", block, loop: rng.pick(around).name, scope: rng.pick(["register", "workspace"]) };
};

const decompose: Drawer = (nest, rng) => {
  const block = blockOf(nest, rng);
  return { kind: "decompose-reduction", block, loop: rng.pick(findBlock(nest, block)!.around).name };
};

const rfactor: Drawer = (nest, rng) => {
  const around = findBlock(nest, blockOf(nest, rng))!.around;
  return { kind: "rfactor", loop: rng.pick(around).name };
};

const shareElement: Drawer = (nest, rng) => ({ kind: "share-element", block: blockOf(nest, rng) });

const setScope: Drawer = (nest, rng) => ({
  kind: "set-scope",
  buffer: bufferOf(nest, rng).name,
  scope: rng.pick(["register", "workspace"]),
});

const setDtype: Drawer = (nest, rng) => ({
  kind: "set-dtype",
  buffer: bufferOf(nest, rng).name,
  dtype: rng.pick(["f64", "f32", "i32"]),
});

const tensorize: Drawer = (nest, rng) => ({
  kind: "tensorize",
  loop: loopOf(nest, rng),
  intrinsic: rng.pick(intrinsics).name,
});
const hoistStorage: Drawer = (nest, rng) => {
  const blocks = blocksIn(nest.body);
  const { buffer, name } = rng.pick(blocks);
  const around = findBlock(nest, name)!.around.map((loop) => loop.name);
  return {
    kind: "hoist-storage",
    buffer,
    loop: rng.pick([null, ...around]),
    reuse: rng.pick(["none", "slide", "fold"]),
  };
};

/** Makers of instructions: each is drawn as often as it stands here. */
const drawers: readonly Drawer[] = [
  ...[split, split, split, split, reorder, reorder, reorder, fuse, mark, mark, mark],
  ...[partition, annotate, reverseComputeAt, reverseComputeAt, reverseInline, mergeLoops, mergeLoops, mergeLoops],
  ...[computeAt, inline, cacheRead, cacheRead, cacheWrite, cacheWrite, decompose, setScope],
  ...[hoistStorage, hoistStorage, transformLayout, storageAlign, pad, pad, doubleBuffer, doubleBuffer],
  ...[rfactor, rfactor],
  ...[setDtype, tensorize],
  ...[rfactor, rfactor, shareElement],
  ...[prefetch, prefetch],
];
