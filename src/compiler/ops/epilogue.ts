// Epilogue of an operator, applied to each element before it is stored: scale, bias, residual, activation. Shared by
// the operators.

import { type DType, type Expr, erf, max, sigmoid, type Tensor, tanh, tensor } from "../expr/authoring.ts";
import { requireKeys, requireOneOf } from "../expr/library-arguments.ts";

export type Activation = "none" | "relu" | "gelu" | "sigmoid" | "tanh" | "silu";

/** `activation(x · scale[c] + bias[c] + residual)`: of the tensors those that are asked for, inputs in this order. */
export interface Epilogue {
  /** Multiplies by a tensor `scale`, one element for each column or channel: with `bias` a folded batch norm. */
  readonly scale?: boolean;
  /** Adds a tensor `bias`, one element for each column or channel. */
  readonly bias?: boolean;
  /** Adds a tensor `residual` of the shape of the result. */
  readonly residual?: boolean;
  /** Function that is applied last; default: "none". */
  readonly activation?: Activation;
}

const activations: Readonly<Record<Activation, (x: Expr) => Expr>> = {
  none: (x) => x,
  relu: (x) => max(x, 0),
  // Hendrycks & Gimpel 2016, in its exact form with erf.
  gelu: (x) => x.mul(0.5).mul(erf(x.mul(Math.SQRT1_2)).add(1)),
  sigmoid: (x) => sigmoid(x),
  tanh: (x) => tanh(x),
  silu: (x) => x.mul(sigmoid(x)),
};

export interface Result {
  readonly shape: readonly number[];
  readonly dtype: DType;
  /** Number of the last dimensions that make up the channels; default: 1. */
  readonly channelDims?: number;
}

/** Declares the tensors of an epilogue; gives what to do to the element at some indices of the result. */
export function epilogueOf(
  epilogue: Epilogue,
  { shape, dtype, channelDims = 1 }: Result,
): (x: Expr, indices: readonly Expr[]) => Expr {
  requireKeys("there is no epilogue", ["scale", "bias", "residual", "activation"], epilogue);
  const { scale, bias, residual, activation = "none" } = epilogue;
  requireOneOf("the activation", Object.keys(activations), activation);
  const channels = shape.slice(-channelDims);
  const declare = (isWanted: boolean | undefined, name: string, its: readonly number[]): Tensor | null =>
    isWanted ? tensor(name, its, dtype) : null;
  const tensors = {
    scale: declare(scale, "scale", channels),
    bias: declare(bias, "bias", channels),
    residual: declare(residual, "residual", shape),
  };
  return (x, indices) => {
    const channel = indices.slice(-channelDims);
    const scaled = tensors.scale ? x.mul(tensors.scale(...channel)) : x;
    const shifted = tensors.bias ? scaled.add(tensors.bias(...channel)) : scaled;
    const added = tensors.residual ? shifted.add(tensors.residual(...indices)) : shifted;
    return store(activations[activation](added), dtype);
  };
}

/** The value as an element of `dtype`. */
export const store = (x: Expr, dtype: DType): Expr => (x.dtype === dtype ? x : x.cast(dtype));
