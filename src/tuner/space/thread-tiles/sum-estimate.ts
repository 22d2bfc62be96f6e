// Load of a sum in tiles of threads on the machine: the facts that its time is predicted from.

import { type AcceleratorTarget, byteSize } from "../../../compiler/index.ts";
import { gpuMachineOf } from "../../prior/gpu-machines.ts";
import { placeOperations, threadSizes } from "../../prior/thread-sizes.ts";
import type { Estimate } from "../draft/draft.ts";
import { type Access, dependsOn, type SchedulableStage } from "../draft/schedulable-stage.ts";
import { isVectorizable } from "../draft/vector-axis.ts";
import {
  bytesOf,
  bytesReadBy,
  depthOf,
  elementsOf,
  loadOfGroups,
  operationsIn,
  otherFacts,
  valueIn,
} from "../estimate/group-load.ts";
import { mostParts } from "../parts/parts.ts";
import { operationsBy } from "./byte-dots.ts";
import { atOnceIn } from "./byte-words.ts";
import { type CopiedOperand, elementsOf as copiedElementsOf, groupBytesOf, vectorOf } from "./copies.ts";
import { allGroupsOf, allThreadsOf, registersOf, sumsOf } from "./limits.ts";
import type { TiledSum } from "./sum-axes.ts";
import { lanesOf, registerOf, slicesOf, stepsOf, threadsOf, tileOf, unrollOf } from "./tile-choices.ts";

/**
 * @param reader the map that finishes the sums
 * @param operands those that are copied to the memory of the group
 */
export const sumEstimate =
  (
    tiles: TiledSum,
    reader: SchedulableStage | null,
    operands: readonly CopiedOperand[],
    target: AcceleratorTarget,
  ): Estimate =>
  (assignment) => {
    const { stage, depth, tiled, dot } = tiles;
    const value = valueIn(assignment);
    const [groups, threads, sums] = [allGroupsOf, allThreadsOf, sumsOf].map((of) => value(of(tiles))) as [
      number,
      number,
      number,
    ];
    const slices = value(slicesOf(depth));
    const parts = tiles.parts ? value(tiles.parts.count) : 1;
    const depthOfPart = depthOf(stage) / parts;
    const whole = depthOfPart / atOnceIn(dot);
    // A slice has whole rounds of what is written out: where they do not fill the depth, the last slices are idle.
    const round = slices * value(unrollOf(depth));
    const cut = tiles.parts ? (depth.extent * mostParts(tiles.parts)) / parts : depth.extent;
    const walked = slices > 1 ? ((whole / cut) * Math.ceil(cut / round) * round) / slices : whole;
    const loads = stage.reads.map((access) => loadOf(access, tiles, operands, value, target));
    const perThread = (of: (load: Load) => number): number =>
      loads.reduce((bytes, load) => bytes + of(load), 0) * walked * groups * threads;
    const isCopied = operands.length > 0;
    const steps = isCopied ? value(stepsOf(depth)) * (whole / depth.extent) : walked / value(unrollOf(depth));
    const copied = operands.reduce((bytes, it) => bytes + copiedBytes(it, value), 0);
    const pieces = operands.reduce((all, it) => all + value(copiedElementsOf(it)) / value(vectorOf(it)), 0);
    const covered = tiled.reduce(
      (all, axis) => all * ((Math.ceil(axis.extent / value(tileOf(axis))) * value(tileOf(axis))) / axis.extent),
      1,
    );
    const results = reader ?? stage;
    // Threads of all slices add up what the slices have, for one of them stores.
    const combining = slices * slices * elementsOf(stage);
    return {
      ...otherFacts,
      ...loadOfGroups(
        {
          groups,
          threads,
          registers: value(registersOf(tiles)),
          groupBytes: isCopied || slices > 1 ? value(groupBytesOf(tiles)) : 0,
          written: sums * value(unrollOf(depth)),
          atOnce: sums,
          waits: steps,
          barriers: isCopied ? 2 * steps : slices > 1 ? 1 : 0,
          surplus: covered,
        },
        target,
      ),
      flops:
        operationsBy(dot, stage) +
        (reader ? operationsIn(reader) : 0) +
        combining +
        (isCopied ? groups * steps * pieces * placeOperations : 0),
      multiplyAddShare: stage.operations > 1 ? 1 : 0,
      liveRegisters: value(registersOf(tiles)),
      bytesFromL2: perThread(({ near }) => near) + (slices > 1 ? combining * byteSize[stage.dtype] : 0),
      bytesFromL3: perThread(({ far }) => far) + (isCopied ? groups * steps * copied : 0),
      bytesFromMemory: bytesReadBy(stage) + parts * bytesOf(results),
      tilesBegun: groups,
    };
  };

/** Bytes of a copy, where a vector is one load as a number is. */
const copiedBytes = (operand: CopiedOperand, value: (name: string) => number): number =>
  (value(copiedElementsOf(operand)) * byteSize[operand.access.dtype] * (1 + 1 / value(vectorOf(operand)))) / 2;

interface Load {
  /** Bytes that a thread loads for one element of the depth from the memory of its group, or a cache as near, and from L2. */
  readonly near: number;
  readonly far: number;
}

/** Loads of one operand for a tile of sums. */
function loadOf(
  access: Access,
  { tiled, columns, depth, dot }: TiledSum,
  operands: readonly CopiedOperand[],
  value: (name: string) => number,
  target: AcceleratorTarget,
): Load {
  const own = tiled.filter(({ name }) => dependsOn(access, name));
  const elements = own.reduce((all, axis) => all * value(registerOf(axis)) * value(lanesOf(axis)), 1);
  const copy = operands.find((it) => it.access === access);
  const lanes = own.reduce((most, axis) => Math.max(most, value(lanesOf(axis))), 1);
  const isRow = access.dims.at(-1)?.size === 1 && access.dims.at(-1)?.get(depth.name) === 1;
  const word = atOnceIn(dot);
  const written = value(unrollOf(depth)) * word;
  // A vector is one load, as a number is. Neighbours along the depth come as one if they are written out, and a copy has vectors as long
  // as it was copied by.
  const along = isRow ? Math.min(written, threadSizes.lanes.at(-1)!) : lanes;
  const perLoad = copy ? Math.min(along, value(vectorOf(copy))) : along;
  const bytes = (elements * word * byteSize[access.dtype] * (1 + 1 / perLoad)) / 2;
  if (copy) return { near: bytes, far: 0 };
  const { missShare, sectorBytes } = gpuMachineOf(target);
  if (isVectorizable(access, columns.name)) return { near: bytes, far: bytes * missShare };
  // Neighbours read rows of their own: of each part of a row that comes, as much is used as is written out.
  // Threads of further slices, which run together with the first, go on where these end.
  const besides = tiled.reduce((all, axis) => all * value(threadsOf(axis)), 1);
  const slices = isRow ? Math.min(value(slicesOf(depth)), Math.max(1, threadSizes.leastThreads / besides)) : 1;
  const used = Math.min(sectorBytes, written * slices * byteSize[access.dtype]);
  return { near: bytes, far: bytes * (sectorBytes / used) };
}
