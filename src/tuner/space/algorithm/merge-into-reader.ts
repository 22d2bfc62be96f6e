// A map that one other map reads, each element at its own place → both in one stage, so that a rule sees all of it:
// bias and activation become part of the output transform.

import { type ComputeDef, mapScalar, type ReadExpr, readsIn, type Stage } from "../../../compiler/index.ts";

/** The operator unchanged where the stage is a result, or is read otherwise. */
export function mergeIntoReader(op: ComputeDef, stage: Stage): ComputeDef {
  const readers = op.stages.filter((it) => readsOf(it, stage).length > 0);
  const [reader] = readers;
  if (!reader || readers.length > 1 || op.outputs.includes(stage.name) || !readsInPlace(reader, stage)) return op;
  const names = new Map(stage.axes.map(({ name }, at) => [name, reader.axes[at]!.name]));
  const element = mapScalar(stage.body, (node) =>
    node.kind === "axis" ? { ...node, name: names.get(node.name)! } : node,
  );
  const body = mapScalar(reader.body, (node) => (node.kind === "read" && node.tensor === stage.name ? element : node));
  const stages = op.stages.flatMap((it) => (it === stage ? [] : it === reader ? [{ ...reader, body }] : [it]));
  return { ...op, stages };
}

const readsInPlace = (reader: Stage, stage: Stage): boolean =>
  reader.reduce === null &&
  reader.axes.length === stage.axes.length &&
  reader.axes.every(({ extent }, at) => extent === stage.axes[at]!.extent) &&
  readsOf(reader, stage).every(({ indices }) =>
    indices.every((index, at) => index.kind === "axis" && index.name === reader.axes[at]!.name),
  );

const readsOf = ({ body }: Stage, { name }: Stage): readonly ReadExpr[] =>
  readsIn(body).filter(({ tensor }) => tensor === name);
