// Operators that WGSL has no numbers for, whatever the schedule.

import type { ComputeDef, Stage } from "../../expr/compute-def.ts";
import { byteSize, isFloat } from "../../expr/dtype.ts";
import { nodes, readsIn } from "../../expr/expr-visit.ts";
import { product } from "../../support/integer-math.ts";
import type { Numerics } from "../../target/target.ts";
import { webgpu } from "../../target/webgpu.ts";

/** Null: WGSL can compute the operator. */
export function cannotCompute(op: ComputeDef, numerics: Numerics): string | null {
  const { inputs, stages } = op;
  const tensors = [...inputs, ...stages];
  const wide = tensors.find(({ dtype }) => dtype === "f64");
  if (wide) return `${wide.name} is f64, and WebGPU has no such numbers`;
  const computed = stages.find(({ body }) => nodes(body).some(({ dtype }) => dtype === "f64"));
  if (computed) return `${computed.name} is computed in f64, and WebGPU has no such numbers`;
  if (numerics === "strict" && tensors.some(({ dtype }) => isFloat(dtype)))
    return 'WebGPU leaves roundings to the machine, so that it cannot be "strict"';
  return tooLarge(op);
}

/**
 * Says which default limit of the standard the operator exceeds, whatever its schedule: a kernel for every GPU may ask for no more. Null: it
 * exceeds none.
 */
function tooLarge(op: ComputeDef): string | null {
  const { arraysPerLaunch, arrayBytes } = webgpu.limits as Readonly<Record<"arraysPerLaunch" | "arrayBytes", number>>;
  for (const { name, body } of op.stages) {
    const read = new Set(readsIn(body).map(({ tensor }) => tensor)).size;
    if (read < arraysPerLaunch) continue;
    return `${name} is made of ${read} arrays, and a launch of WebGPU names ${arraysPerLaunch}, its results among them`;
  }
  const stored = op.stages.filter((stage) => op.outputs.includes(stage.name) || isStored(stage, op));
  const sizes = [
    ...op.inputs.map(({ name, dtype, shape }) => ({ name, bytes: product(shape) * byteSize[dtype] })),
    ...stored.map(({ name, dtype, axes }) => ({ name, bytes: product(extentsOf(axes)) * byteSize[dtype] })),
  ];
  const large = sizes.find(({ bytes }) => bytes > arrayBytes);
  return large ? `${large.name} has ${large.bytes} bytes, and an array of WebGPU has at most ${arrayBytes}` : null;
}

const extentsOf = (axes: Stage["axes"]): readonly number[] => axes.map(({ extent }) => extent);

/** Says whether a reduction has to be stored: maps of its shape, one after another, do not lead from it to a result. */
function isStored(stage: Stage, op: ComputeDef): boolean {
  if (stage.reduce === null) return false;
  const readersOf = ({ name }: Stage): readonly Stage[] =>
    op.stages.filter(({ body }) => readsIn(body).some(({ tensor }) => tensor === name));
  let [reader, ...others] = readersOf(stage);
  while (reader && others.length === 0 && isMapOf(reader, stage)) {
    if (op.outputs.includes(reader.name)) return false;
    [reader, ...others] = readersOf(reader);
  }
  return true;
}

const isMapOf = ({ reduce, axes }: Stage, stage: Stage): boolean =>
  reduce === null && extentsOf(axes).join() === extentsOf(stage.axes).join();
