// What an operator does to each element before it is stored: a bias, an activation. Shared by the operators.

import { type DType, type Expr, erf, max, sigmoid, tanh } from "../expr/authoring.ts";

export type Activation = "none" | "relu" | "gelu" | "sigmoid" | "tanh" | "silu";

export interface Epilogue {
  /** Adds a tensor `bias`, one element for each column or channel. */
  readonly bias?: boolean;
  /** "none" unless said. */
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

/** `activation(x + bias)` in the type that is computed with. */
export function finish(x: Expr, { activation = "none" }: Epilogue, bias?: Expr): Expr {
  return activations[activation](bias ? x.add(bias) : x);
}

/** The value as an element of `dtype`. */
export const store = (x: Expr, dtype: DType): Expr => (x.dtype === dtype ? x : x.cast(dtype));
