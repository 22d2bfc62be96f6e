// Convolution of sequences, NWC · [K, C, F] → NWF, with stride, padding and dilation.

import { compute, type DType, defineOp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { factor, sumType } from "./accumulate.ts";
import { type Epilogue, epilogueOf } from "./epilogue.ts";
import { padded, tapAt, windowCount } from "./window.ts";

export interface Conv1dParameters {
  /** Number of sequences; default: 1. */
  readonly N?: number;
  /** Length of a sequence. */
  readonly W: number;
  /** Channels of the sequence. */
  readonly C: number;
  /** Number of filters: channels of the result. */
  readonly F: number;
  /** Length of a filter; default: 3. */
  readonly K?: number;
  /** Distance between two windows, in elements of the sequence; default: 1. */
  readonly stride?: number;
  /** Zeros at each end; default: 0. */
  readonly padding?: number;
  /** Distance between the taps of a filter; default: 1. */
  readonly dilation?: number;
  /** Type of sequence and filter; default: "f32". The result has the same type, or i32 for integers. */
  readonly dtype?: DType;
  /** Type of the filter where it is another: `dtype: "u8", filterDtype: "i8"`. */
  readonly filterDtype?: DType;
}

const defaults = { N: 1, K: 3, stride: 1, padding: 0, dilation: 1, dtype: "f32" as DType };

const kinds: ParameterKinds<Conv1dParameters> = {
  N: "size?",
  W: "size",
  C: "size",
  F: "size",
  K: "size?",
  stride: "size?",
  padding: "margin?",
  dilation: "size?",
  dtype: "dtype?",
  filterDtype: "dtype?",
};

/** @example export default conv1d({ W: 1000, C: 80, F: 256, padding: 1 }); */
export function conv1d(parameters: Conv1dParameters, epilogue: Epilogue = {}): Op {
  return defineOp(
    { ...defaults, ...checked("conv1d", kinds, parameters) },
    ({ N, W, C, F, K, dtype, filterDtype = dtype, ...window }) => {
      const sequence = tensor("sequence", [N, W, C], dtype);
      const filter = tensor("filter", [K, C, F], filterDtype);
      const shape = [N, windowCount(W, K, window), F] as const;
      const finish = epilogueOf(epilogue, { shape, dtype: sumType(dtype) });
      const rx = reduceAxis("rx", K);
      const rc = reduceAxis("rc", C);
      return compute("out", shape, (n, x, f) => {
        const ix = tapAt(x, rx, window);
        const element = padded(window.padding, [[ix, W]], () => sequence(n, ix, rc), 0);
        return finish(sum(factor(element).mul(factor(filter(rx, rc, f))), [rx, rc]), [n, x, f]);
      });
    },
  );
}
