// Results of an operator against its plain answers: the largest error, and how large it may be.

import {
  type ComputeDef,
  computeType,
  type DType,
  isFloat,
  type TypedArray,
  valuesOf,
} from "../../../src/compiler/index.ts";
import type { LibraryInstance, Values } from "./library-operator.ts";

type Arrays = Readonly<Record<string, TypedArray>>;

/**
 * The largest |result - plain| / (largest |plain| of the output) over all outputs. Of integers any difference is infinite:
 * they wrap, and wrap alike.
 */
export function worstError(def: ComputeDef, { plain }: LibraryInstance, inputs: Arrays, outputs: Arrays): number {
  const decoded: Values = Object.fromEntries(
    def.inputs.map(({ name, dtype }) => [name, [...valuesOf(dtype, inputs[name]!)]]),
  );
  const expected = plain(decoded);
  const errors = def.outputs.map((name) => {
    const { dtype } = def.stages.find((stage) => stage.name === name)!;
    return errorOf(dtype, valuesOf(dtype, outputs[name]!), expected[name]!);
  });
  return Math.max(...errors);
}

function errorOf(dtype: DType, found: ArrayLike<number>, wanted: readonly number[]): number {
  if (found.length !== wanted.length) return Number.POSITIVE_INFINITY;
  const scale =
    wanted.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0) || 1;
  return wanted.reduce((worst, value, at) => {
    if (!isFloat(dtype)) return found[at] === (value | 0) ? worst : Number.POSITIVE_INFINITY;
    const error = found[at] === value ? 0 : Math.abs(found[at]! - value) / scale;
    return Number.isNaN(error) ? Number.POSITIVE_INFINITY : Math.max(worst, error);
  }, 0);
}

const roundingOf: Readonly<Partial<Record<DType, number>>> = { f16: 2 ** -10, bf16: 2 ** -7 };

/** Rounding of what is stored, and of some hundred operations in the type that is computed in. */
export function allowedError(def: ComputeDef): number {
  const { dtype } = def.stages.find((stage) => stage.name === def.outputs[0])!;
  if (!isFloat(dtype)) return 0;
  return (roundingOf[dtype] ?? 0) + 200 * (computeType(dtype) === "f64" ? 2 ** -52 : 2 ** -23);
}
