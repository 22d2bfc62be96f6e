// The compiler as the other rooms see it: pure functions from expressions to target code. Nothing else in
// src/compiler is imported from outside.

export { generateC } from "./codegen/c/generate-c.ts";
export type * from "./codegen/kernel-source.ts";
export * from "./codegen/wasm/generate-wasm.ts";
export * as authoring from "./expr/authoring.ts";
export type * from "./expr/compute-def.ts";
export * from "./expr/dtype.ts";
export { evaluate, evaluateStages } from "./expr/evaluate.ts";
export * from "./expr/facts.ts";
export * from "./expr/float16.ts";
export { instantiate } from "./expr/instantiate.ts";
export type * from "./expr/kernel-type.ts";
export { isOp, type Op } from "./expr/op.ts";
export { digestOf, printComputeDef, printExpr, printStage } from "./expr/print.ts";
export type * from "./expr/scalar-expr.ts";
export * from "./expr/scalar-math.ts";
export * from "./expr/typed-array.ts";
export { runUserCode } from "./expr/user-error.ts";
export * from "./ir/affine.ts";
export * from "./ir/from-compute.ts";
export type * from "./ir/loop-ir.ts";
export * from "./ir/print.ts";
export { mapExpr } from "./ir/visit.ts";
export * as opLibrary from "./ops/index.ts";
export { blocksIn } from "./schedule/nest.ts";
export { printTrace, type Replay, replay, schedule } from "./schedule/replay.ts";
export { instantiate as instantiateTemplate } from "./schedule/template.ts";
export type * from "./schedule/trace.ts";
export * from "./support/call-site.ts";
export { codeFrame } from "./support/code-frame.ts";
export * from "./support/codes.ts";
export * from "./support/diagnostic.ts";
export * from "./support/digest.ts";
export * from "./support/invariant.ts";
export type * from "./support/source-loc.ts";
export * from "./target/target.ts";
export { targets } from "./target/targets.ts";
