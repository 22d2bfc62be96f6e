// Checks an output: every element is written, and near enough to the expected one. A mistake is described in words,
// with the index: "C[1, 3] is 5, the reference gives 6 (2 of 20 elements differ)".

import { type DType, fromBf16Bits, fromF16Bits, isFloat, type KernelParameter } from "../../compiler/index.ts";
import { bytesOf } from "./arena.ts";
import { type ExactValues, type KernelArray, mostHidden, type OutputBound } from "./protocol.ts";

/** The right answer of one output, with what is needed to compare fast; made once a task. */
export interface ExpectedOutput {
  readonly parameter: KernelParameter;
  readonly values: KernelArray;
  readonly bound: OutputBound;
  /** Values that fill the output before the run: wrong in every element. */
  readonly sentinel: KernelArray;
  /** Largest finite |expected|. */
  readonly scale: number;
  /** The output in f64, which an element beyond the bound is compared with. Null: such an element is wrong. */
  readonly exact: ExactValues | null;
}

export function expectOutput(
  parameter: KernelParameter,
  values: KernelArray,
  bound: OutputBound,
  exact: ExactValues | null = null,
): ExpectedOutput {
  const decode = decoderOf(parameter.dtype);
  let scale = 0;
  for (const raw of values) {
    const size = Math.abs(decode(raw));
    if (size > scale && size < Number.POSITIVE_INFINITY) scale = size;
  }
  return { parameter, values, bound, scale, exact, sentinel: sentinelFor(parameter.dtype, values) };
}

/** Makes an array that is wrong in every element: NaNs of our own for numbers, 1 for NaN, and other bits for integers. */
function sentinelFor(dtype: DType, values: KernelArray): KernelArray {
  const sentinel = values.slice();
  const decode = decoderOf(dtype);
  if (!isFloat(dtype)) for (let index = 0; index < values.length; index++) sentinel[index] = values[index]! ^ 0xa5;
  else {
    const [nan, one] = floatMarks[dtype === "f64" || dtype === "f32" || dtype === "f16" ? dtype : "bf16"];
    const bytes = bytesOf(sentinel);
    const size = sentinel.BYTES_PER_ELEMENT;
    for (let index = 0; index < values.length; index++)
      bytes.set(Number.isNaN(decode(values[index]!)) ? one : nan, index * size);
  }
  return sentinel;
}

/** Little-endian bytes of a quiet NaN with a payload that no arithmetic makes, and of 1. */
const floatMarks: Readonly<Record<"f64" | "f32" | "f16" | "bf16", readonly [nan: number[], one: number[]]>> = {
  f64: [
    [0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xf8, 0x7f],
    [0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
  ],
  f32: [
    [0xa5, 0xa5, 0xc5, 0x7f],
    [0, 0, 0x80, 0x3f],
  ],
  f16: [
    [0xa5, 0x7e],
    [0, 0x3c],
  ],
  bf16: [
    [0xe5, 0x7f],
    [0x80, 0x3f],
  ],
};

/** Says whether the element still has the bits of the sentinel. */
function isUntouched({ sentinel }: ExpectedOutput, actual: KernelArray, index: number): boolean {
  const element = (array: KernelArray) => bytesOf(array.subarray(index, index + 1));
  return Buffer.compare(element(sentinel), element(actual)) === 0;
}

/** Says whether so many elements are hidden by the operator's own rounding that a result beyond the bound tells nothing. */
export const tellsNothing = ({ exact, values }: ExpectedOutput): boolean =>
  exact !== null && exact.hidden > values.length * mostHidden;

/** Returns null if `actual` is right, else what is wrong with it. */
export function mismatch(expected: ExpectedOutput, actual: KernelArray): string | null {
  if (Buffer.compare(bytesOf(expected.values), bytesOf(actual)) === 0) return null;
  const { first, count } = firstDifference(expected, actual);
  return first < 0 ? null : describe(expected, actual, first, count);
}

function firstDifference(expected: ExpectedOutput, actual: KernelArray): { first: number; count: number } {
  const { values, bound, scale, parameter } = expected;
  const decode = decoderOf(parameter.dtype);
  const { relative, absolute } = bound.kind === "within" ? bound : { relative: 0, absolute: 0 };
  const held = tellsNothing(expected) ? null : expected.exact;
  let first = -1;
  let count = 0;
  for (let index = 0; index < values.length; index++) {
    const wanted = decode(values[index]!);
    const found = decode(actual[index]!);
    if (isNear(found, wanted, absolute + relative * Math.max(Math.abs(wanted), scale))) continue;
    if (held && isWithin(found, held.values[index]!, held.errors[index]!) && !isUntouched(expected, actual, index))
      continue;
    if (first < 0) first = index;
    count += 1;
  }
  return { first, count };
}

/**
 * Says whether `found` is within the tolerance of `wanted`. An infinite `wanted` makes the tolerance infinite or NaN, hence the
 * test.
 */
const isNear = (found: number, wanted: number, tolerance: number): boolean =>
  found === wanted ||
  (Number.isFinite(wanted) ? Math.abs(found - wanted) <= tolerance : Number.isNaN(wanted) && Number.isNaN(found));

/**
 * Says whether a result is as near to the answer in f64 as the operator's own rounding allows. An infinite error allows
 * anything.
 */
const isWithin = (found: number, exact: number, error: number): boolean =>
  error === Number.POSITIVE_INFINITY || Math.abs(found - exact) <= error || Object.is(found, exact);

function describe(expected: ExpectedOutput, actual: KernelArray, index: number, count: number): string {
  const { parameter, values, bound } = expected;
  const decode = decoderOf(parameter.dtype);
  const element = `${parameter.name}[${indexOf(index, parameter.shape).join(", ")}]`;
  const wanted = decode(values[index]!);
  const differ = `(${count} of ${values.length} elements differ)`;
  if (isUntouched(expected, actual, index)) return `${element} is not written, the reference gives ${wanted} ${differ}`;
  const allowed = bound.kind === "within" ? `, allowed is a relative ${bound.relative.toExponential(1)}` : "";
  return `${element} is ${decode(actual[index]!)}, the reference gives ${wanted}${allowed} ${differ}${inDouble(expected, index)}`;
}

/** Describes what is known of the element in f64. */
function inDouble(expected: ExpectedOutput, index: number): string {
  const { exact, values } = expected;
  if (!exact) return "";
  if (tellsNothing(expected))
    return `; the operator cancels: at ${exact.hidden} of ${values.length} elements its own rounding may change all digits`;
  return `; in f64 it is ${exact.values[index]}, and rounding explains ${exact.errors[index]!.toExponential(1)}`;
}

/** Row-major position → index by dimension. */
function indexOf(position: number, shape: readonly number[]): number[] {
  const index: number[] = [];
  let rest = position;
  for (const extent of shape.toReversed()) {
    index.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return index;
}

const same = (value: number): number => value;

function decoderOf(dtype: DType): (raw: number) => number {
  if (dtype === "f16") return fromF16Bits;
  return dtype === "bf16" ? fromBf16Bits : same;
}
