// An operator in f64 with a running error analysis (Wilkinson; Higham 2002, section 3.3): ComputeDef, inputs → each element's
// value, and how far off it may be where it is computed in the operator's own types, in any order and with fused products.
// Conditions come from the values themselves, so what cancels has a wide error, and nothing else has.

import { type Axis, type ComputeDef, decode, type Stage, type TypedArray } from "../../compiler/index.ts";
import { type Approximate, type ElementProgram, elementProgram } from "./error-program.ts";
import { foldInto } from "./error-reduction.ts";

/**
 * Computes values and errors of each output, in order. Null: it would take more than `mostSteps`.
 *
 * @param inputs inputs of the operator, in order
 * @param mostSteps most nodes of expressions to evaluate; a million take some 20 ms
 */
export function runningErrors(
  op: ComputeDef,
  inputs: readonly TypedArray[],
  mostSteps: number,
): readonly Approximate[] | null {
  const known = new Map<string, Approximate>(
    op.inputs.map(({ name, dtype, shape }, at) => {
      const values = Float64Array.from(inputs[at]!, (stored) => decode(dtype, stored));
      return [name, { shape, values, errors: new Float64Array(values.length) }];
    }),
  );
  let left = mostSteps;
  for (const stage of op.stages) {
    const program = elementProgram(stage.body, known);
    left -= program.length * iterationsOf(stage);
    if (left < 0) return null;
    known.set(stage.name, stageValues(stage, program));
  }
  return op.outputs.map((name) => known.get(name)!);
}

const sizeOf = (axes: readonly Axis[]): number => axes.reduce((product, { extent }) => product * extent, 1);

const iterationsOf = ({ axes, reduce }: Stage): number => sizeOf(axes) * sizeOf(reduce?.axes ?? []);

function stageValues(stage: Stage, program: ElementProgram): Approximate {
  const { axes, reduce } = stage;
  const values = new Float64Array(sizeOf(axes));
  const errors = new Float64Array(values.length);
  for (let at = 0; at < values.length; at++) {
    placeAt(axes, at, program);
    const [value, error] = reduce ? reduced(stage, program) : program.run();
    values[at] = value;
    errors[at] = Number.isNaN(error) ? Number.POSITIVE_INFINITY : error;
  }
  return { shape: axes.map(({ extent }) => extent), values, errors };
}

/** Sets each axis to its value at a row-major offset. */
function placeAt(axes: readonly Axis[], offset: number, program: ElementProgram): void {
  let rest = offset;
  for (let dim = axes.length - 1; dim >= 0; dim--) {
    const { name, extent } = axes[dim]!;
    program.setAxis(name, rest % extent);
    rest = Math.floor(rest / extent);
  }
}

function reduced({ reduce, dtype }: Stage, program: ElementProgram): readonly [value: number, error: number] {
  const { reducer, axes } = reduce!;
  const length = sizeOf(axes);
  const fold = foldInto(reducer, dtype, length);
  for (let at = 0; at < length; at++) {
    placeAt(axes, at, program);
    const [value, error] = program.run();
    fold.add(value, error);
  }
  return fold.result();
}
