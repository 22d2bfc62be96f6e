// A map that one other map reads, few elements of it in each iteration, and that is chosen by axes of its reader: one of the
// passes of a transform. It is computed under the loop that chooses, a few vectors in registers. What its reader then does
// to the machine is what it would do with the pass inlined, but for the size of its code.
//
//   P[a, i] = select(a == 0, …), Y[a, b, i] = select(b == 0, P[a, i], P[a, i + 1])   →   for a: P[a, i], P[a, i + 1]; for b: Y

import { type Expr, type Load, mapExpr, substitute, walkExpr } from "../../compiler/index.ts";
import { choicesOf, mostAlternatives } from "./choice-axes.ts";
import { readsOf, type SchedulableStage } from "./schedulable-stage.ts";

export interface ChoicePass {
  readonly stage: SchedulableStage;
  /** Axes that it is chosen by. */
  readonly choices: readonly string[];
  /** The same of its reader. */
  readonly read: readonly string[];
  /** Other axes of which an iteration of its reader needs several elements. */
  readonly several: readonly string[];
}

export const passesOf = (stage: SchedulableStage, stages: readonly SchedulableStage[]): readonly ChoicePass[] =>
  stages.flatMap((it) => {
    const isOwn = it.readers.length === 1 && it.readers[0] === stage.name && !it.isOutput;
    return isOwn && it.reduce.length === 0 ? (passOf(it, stage) ?? []) : [];
  });

function passOf(it: SchedulableStage, reader: SchedulableStage): ChoicePass | null {
  const places = new Map(loadsOf(reader, it.block.buffer).map(({ indices }) => [JSON.stringify(indices), indices]));
  const reads = [...places.values()];
  const axisAt = (dim: number): string | null => {
    const names = new Set(reads.map((indices) => nameOf(indices[dim]!)));
    return names.size === 1 ? [...names][0]! : null;
  };
  const dimOf = (axis: string): number => it.spatial.findIndex(({ name }) => name === axis);
  const choices = choicesOf(it).map(({ name }) => name);
  const read = choices.map((name) => axisAt(dimOf(name)));
  const isAlong = axisAt(it.spatial.length - 1) === reader.spatial.at(-1)?.name;
  if (!isAlong || choices.length === 0 || reads.length > mostAlternatives) return null;
  const several = it.spatial.filter((_, dim) => new Set(reads.map((at) => JSON.stringify(at[dim]))).size > 1);
  if (!read.every((name) => name !== null)) return null;
  return { stage: it, choices, read, several: several.map(({ name }) => name) };
}

const nameOf = (index: Expr): string | null => (index.kind === "var" ? index.name : null);

function loadsOf({ block }: SchedulableStage, buffer: string): readonly Load[] {
  const loads: Load[] = [];
  walkExpr(block.value, (node) => {
    if (node.kind === "load" && node.buffer === buffer) loads.push(node);
  });
  return loads;
}

/** The stages as though passes were inlined into the stage that reads them. */
export const withInlined = (
  stages: readonly SchedulableStage[],
  reader: SchedulableStage,
  passes: readonly ChoicePass[],
): readonly SchedulableStage[] => {
  const names = new Set(passes.map(({ stage }) => stage.name));
  return stages
    .filter(({ name }) => !names.has(name))
    .map((it) => ({
      ...(it.name === reader.name ? passes.reduce(inlined, it) : it),
      readers: it.readers.map((name) => (names.has(name) ? reader.name : name)),
    }));
};

function inlined(reader: SchedulableStage, { stage }: ChoicePass): SchedulableStage {
  const value = mapExpr(reader.block.value, (node) =>
    node.kind === "load" && node.buffer === stage.block.buffer
      ? substitute(stage.block.value, new Map(stage.block.axes.map(({ name }, at) => [name, node.indices[at]!])))
      : node,
  );
  const block = { ...reader.block, value };
  return { ...reader, block, reads: readsOf(block) };
}
