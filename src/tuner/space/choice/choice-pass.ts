// A map that one other map reads, few elements of it for each of its own, chosen by axes of its reader: one of the
// passes of a transform. It is computed once for each vector of its reader, into a small workspace; inlined, its work
// and its code would be multiplied. The two are estimated as if they were inlined, with shared expressions counted
// once.
//
//   P[a, i] = select(a == 0, …)                                for i: for a: P[a, 0], P[a, 1]
//   Y[a, b, i] = select(b == 0, P[a, i], P[a, i + 1])    →            for a, b: Y[a, b, i]

import { type Expr, exprKey, mapExpr, substitute, walkExpr } from "../../../compiler/index.ts";
import { readsOf, type SchedulableStage } from "../draft/schedulable-stage.ts";
import { choicesOf, mostAlternatives } from "./choice-axes.ts";

export interface ChoicePass {
  readonly stage: SchedulableStage;
  /** Axes that it is chosen by. */
  readonly choices: readonly string[];
  /** Other axes of which an element of its reader takes several. */
  readonly several: readonly string[];
}

export const passesOf = (stage: SchedulableStage, stages: readonly SchedulableStage[]): readonly ChoicePass[] =>
  stages.flatMap((it) => {
    const isOwn = it.readers.length === 1 && it.readers[0] === stage.name && !it.isOutput;
    return isOwn && it.reduce.length === 0 ? (passOf(it, stage) ?? []) : [];
  });

function passOf(it: SchedulableStage, reader: SchedulableStage): ChoicePass | null {
  const reads = placesRead(it.block.buffer, reader);
  const choices = choicesOf(it).map(({ name }) => name);
  /** The axis of the reader that is all of an index in all reads. */
  const axisAt = (dim: number): string | undefined =>
    reader.spatial.find(({ name }) => reads.every((at) => isAxis(at[dim], name)))?.name;
  const isPlain = it.spatial.every(({ name }, dim) => !choices.includes(name) || axisAt(dim));
  const isAlong = axisAt(it.spatial.length - 1) === reader.spatial.at(-1)?.name;
  if (choices.length === 0 || !isPlain || !isAlong || reads.length > mostAlternatives) return null;
  const several = it.spatial.filter((_, dim) => new Set(reads.map((at) => exprKey(at[dim]!))).size > 1);
  return { stage: it, choices, several: several.map(({ name }) => name) };
}

const isAxis = (index: Expr | undefined, axis: string): boolean => index?.kind === "var" && index.name === axis;

/** Each once. */
function placesRead(buffer: string, { block }: SchedulableStage): readonly (readonly Expr[])[] {
  const places = new Map<string, readonly Expr[]>();
  walkExpr(block.value, (node) => {
    if (node.kind === "load" && node.buffer === buffer) places.set(exprKey(node), node.indices);
  });
  return [...places.values()];
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
