// The compiler as the other rooms see it: pure functions from expressions to target code. Nothing else in
// src/compiler is imported from outside.

export type * from "./codegen/kernel-source.ts";
export type * from "./expr/compute-def.ts";
export * from "./expr/dtype.ts";
export type * from "./expr/scalar-expr.ts";
export type * from "./ir/loop-ir.ts";
export type * from "./schedule/trace.ts";
export * from "./support/diagnostic.ts";
export * from "./support/digest.ts";
export * from "./support/invariant.ts";
export type * from "./support/source-loc.ts";
export * from "./target/target.ts";
