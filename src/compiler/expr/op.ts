// `defineOp`, and the value that it returns: what an operator file exports.

import { captureFrames, currentMapper, plainMapper, type SourceMapper } from "../support/call-site.ts";
import type { SourceLoc } from "../support/source-loc.ts";
import { currentBuilder, fail } from "./builder.ts";
import type { Parameters } from "./compute-def.ts";
import { given, inWords, isClass } from "./describe.ts";
import type { DType } from "./dtype.ts";
import type { Tensor } from "./expr-type.ts";
import type { ArrayOf, Kernel, Packable, PackedKernel, TypedArray } from "./kernel-type.ts";

/** The parameters as the operator's function takes them: numbers, and dtypes for strings. */
export type ParameterValues<P> = { readonly [N in keyof P]: P[N] extends number ? number : DType };

/** Result of an operator's function: one tensor, or an object of several by their names. */
export type Results = Tensor | { readonly [name: string]: Tensor };

export type ResultArrays<R> =
  R extends Tensor<infer D>
    ? ArrayOf<D>
    : { readonly [N in keyof R]: R[N] extends Tensor<infer D> ? ArrayOf<D> : never };

export interface OpSpec {
  readonly defaults: Parameters;
  readonly build: (parameters: Parameters) => unknown;
  /** The call stack of defineOp, to be read with `mapper`. */
  readonly frames: readonly SourceLoc[];
  readonly mapper: SourceMapper;
  /** Inputs that stay the same, and the call stack of withConstants. */
  readonly constants?: { readonly names: readonly string[]; readonly frames: readonly SourceLoc[] };
}

const spec = Symbol.for("unplugin-kernel.op");

/**
 * An operator: default parameters and the function that builds it. It has the type of the kernel that an import with
 * `?tune=…` gives; called without the plugin it throws.
 */
export interface Op<P extends Parameters = Parameters, Result = unknown> extends Kernel<Result> {
  readonly [spec]: OpSpec & { readonly defaults: P };
}

/**
 * Defines an operator.
 *
 * @param defaults the parameters that an import may override: sizes and other numbers, and dtypes
 * @param build writes the operator with `tensor`, `reduceAxis` and `compute`, and returns its result or results
 * @example
 * export default defineOp({ M: 512, N: 512, K: 512 }, ({ M, N, K }) => {
 *   const A = tensor("A", [M, K], "f32");
 *   const B = tensor("B", [K, N], "f32");
 *   const k = reduceAxis("k", K);
 *   return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
 * });
 */
export function defineOp<P extends Parameters, R extends Results>(
  defaults: P,
  build: (parameters: ParameterValues<P>) => R,
): Op<P, ResultArrays<R>> {
  requireDefinition(defaults, build);
  const facts: OpSpec = {
    defaults,
    // Strings are checked to be dtypes before the function runs.
    build: (parameters) => build(parameters as unknown as ParameterValues<P>),
    frames: captureFrames(),
    mapper: currentMapper(),
  };
  return Object.assign(untuned(), { [spec]: facts, [inWords]: "an operator" }) as unknown as Op<P, ResultArrays<R>>;
}

/** An operator with inputs that stay the same from call to call: the kernel of an import has `pack`. */
export interface PackableOp<P extends Parameters = Parameters, Result = unknown, Constants extends string = string>
  extends Op<P, Result>,
    Packable<Record<Constants, TypedArray>, PackedKernel<Result>> {}

/**
 * The operator with the promise that some of its inputs stay the same from call to call, such as weights. A schedule may lay
 * them out as it likes them best, and what depends on them alone is computed once: by `pack` of the kernel.
 *
 * @param names of inputs
 * @example
 * export default withConstants(gemm({ M: 128, N: 768, K: 768 }, { bias: true }), "B", "bias");
 * // import layer from "./layer.op.ts?tune=native"; const forward = layer.pack({ B, bias }); forward(A, C);
 */
export function withConstants<P extends Parameters, Result, Constants extends string>(
  op: Op<P, Result>,
  ...names: readonly Constants[]
): PackableOp<P, Result, Constants> {
  requireConstants(op, names);
  const facts: OpSpec = { ...specOf(op), constants: { names, frames: captureFrames() } };
  return Object.assign(untuned(), { [spec]: facts, [inWords]: "an operator" }) as unknown as PackableOp<
    P,
    Result,
    Constants
  >;
}

export const isOp = (value: unknown): value is Op => typeof value === "function" && spec in value;

export const specOf = (op: Op): OpSpec => op[spec];

function requireDefinition(defaults: unknown, build: unknown): void {
  const example = "defineOp({ N: 64 }, ({ N }) => …)";
  if (typeof defaults !== "object" || defaults === null || Array.isArray(defaults)) {
    const hint = `the parameters are an object, the first argument: ${example}`;
    fail("expr.bad-definition", `defineOp is given ${given(defaults)} for its parameters`, { hint });
  }
  if (typeof build === "function" && !isOp(build) && !isClass(build)) return;
  const hint = `the second argument writes the operator: ${example}`;
  fail("expr.bad-definition", `defineOp is given ${given(build)} for the operator's function`, { hint });
}

function requireConstants(op: unknown, names: readonly unknown[]): void {
  const example = 'withConstants(gemm({ … }), "B", "bias")';
  if (!isOp(op)) {
    const hint = `its first argument is an operator: ${example}`;
    fail("expr.bad-definition", `withConstants is given ${given(op)}`, { hint });
  }
  const other = names.find((name) => typeof name !== "string");
  if (other === undefined && !names.includes(undefined)) return;
  const hint = `the names of inputs follow the operator: ${example}`;
  fail("expr.bad-definition", `withConstants is given ${given(other)} for the name of an input`, { hint });
}

function untuned(): () => never {
  return () => {
    if (currentBuilder() !== null || currentMapper() !== plainMapper) {
      const hint = "an operator is made of tensors and computes; of another file, import the function that writes them";
      fail("expr.outside-op", "an operator is called in an operator file", { hint });
    }
    throw new TypeError(
      'an operator is not a kernel: import it as "./name.op.ts?tune=wasm", with unplugin-kernel in the build',
    );
  };
}

/** The parameters of an operator with the values that they have unless an import says otherwise. */
export const parameterDefaults = (op: Op): Parameters => op[spec].defaults;
