// A reduction whose last axis is rounded up to whole groups of the values that an intrinsic adds up: its operands get
// zeros behind their ends. Packed operands have the zeros in their packs, others are copied row by row.

import { byteSize, type CpuTarget, type Instruction, type Operand } from "../../../compiler/index.ts";
import { type Access, isPlain, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";
import type { PackChoice } from "./packing.ts";

export const padName = (buffer: string): string => `${buffer}.pad`;

/** Says whether the operand ends where the axis does, so that padding may follow it. */
export function endsWith(
  { buffer, dims }: Access,
  { name, extent }: SchedulableStage["reduce"][number],
  { task: { op } }: RuleContext,
): boolean {
  const dim = dims.findIndex((it) => it?.has(name));
  const shape =
    op.inputs.find((it) => it.name === buffer)?.shape ??
    op.stages.find((it) => it.name === buffer)?.axes.map((axis) => axis.extent);
  return dim >= 0 && shape?.[dim] === extent;
}

/**
 * The stage as it is with the axis padded; null if it cannot be, or is computed in parts, or reads another stage, which may be
 * moved into its loops.
 */
export function paddedReduction(stage: SchedulableStage, group: number, context: RuleContext): SchedulableStage | null {
  const [axis] = stage.reduce;
  if (!axis || stage.reduce.length > 1 || axis.extent < group) return null;
  if (stage.spatial.some(({ isPart, isOutside }) => isPart || isOutside)) return null;
  const { inputs } = context.task.op;
  const canBe = (read: Access): boolean =>
    inputs.some(({ name }) => name === read.buffer) && isPlain(read) && !read.guarded && endsWith(read, axis, context);
  if (!stage.reads.every(canBe)) return null;
  return {
    ...stage,
    reduce: [{ ...axis, extent: Math.ceil(axis.extent / group) * group }],
    reads: stage.reads.map((read) => ({ ...read, buffer: padName(read.buffer) })),
  };
}

export const padBy = ({ block }: SchedulableStage, group: number): Instruction<Operand> => ({
  kind: "pad",
  block: block.name,
  multiples: block.axes.map(({ role }) => (role === "reduce" ? group : 1)),
});

/**
 * After the packs: the padding of a buffer all of whose accesses are packed in any case is part of these packs, that of others
 * is filled in vectors.
 */
export const fillPads = (
  { reads, reduce: [axis] }: SchedulableStage,
  packs: readonly PackChoice[],
  { vectorBytes }: CpuTarget,
): readonly Instruction<Operand>[] =>
  [...new Map(reads.map((read) => [read.buffer, read])).values()].flatMap((read): readonly Instruction<Operand>[] => {
    const { buffer, dims, dtype } = read;
    const isPacked = (it: Access): boolean => packs.some(({ packable, tunable }) => packable.access === it && !tunable);
    if (reads.every((it) => it.buffer !== buffer || isPacked(it))) return [{ kind: "inline", block: buffer }];
    const last = `${buffer}.${dims.length - 1}`;
    const lanes = Math.min(vectorBytes / byteSize[dtype], 2 ** Math.floor(Math.log2(axis!.extent)));
    return [
      { kind: "split", loop: last, factors: [0, lanes], tail: "cut" },
      { kind: "vectorize", loop: `${last}.1` },
    ];
  });
