// Questions about what a user brings: whether an intrinsic computes its meaning, and which records a kernel has in a database.
// Part of `unplugin-kernel/api`.

import { codegenVersion, type Op, type OwnIntrinsic } from "../compiler/index.ts";
import { toolchainFor, withoutCompiler } from "../native/toolchain/detect.ts";
import { targetClass } from "../tuner/data/key.ts";
import type { TaskQuery } from "../tuner/record/database.ts";
import { checkIntrinsics } from "../tuner/workbench/intrinsic-oracle.ts";
import { type KernelOptions, spaceOf, targetOf, taskKeyOf, taskOf } from "./task.ts";

export type { OwnCText, OwnIntrinsic } from "../compiler/index.ts";
export type { OwnTarget } from "../native/toolchain/own-target.ts";
export type { FeatureMatrix, TrainingSet } from "../tuner/cost-model/cost-model.ts";
export type { OwnCostModel, OwnPredictor } from "../tuner/cost-model/own-cost-model.ts";
export type { CandidateFacts, OwnFeatures } from "../tuner/cost-model/own-features.ts";
export type { SpaceGenerator } from "./space.ts";

/**
 * Runs an intrinsic on this machine, on random elements and the extremes of their types, and compares the results with its
 * meaning, which an interpreter runs. `tune`, `tuneAll` and `measure` do that by themselves.
 *
 * @throws DiagnosticError `intrinsic.wrong` with the first element that differs; `extension.malformed`; `target.no-compiler`
 * @example await checkIntrinsic(dot4, { target: "avx2" });
 */
export async function checkIntrinsic(
  intrinsic: OwnIntrinsic,
  { target }: Pick<KernelOptions, "target">,
): Promise<void> {
  const own = targetOf({ target, intrinsics: [intrinsic] });
  const toolchain = await toolchainFor(own);
  if (!toolchain && "c" in intrinsic.text) throw withoutCompiler(own);
  await checkIntrinsics(own, toolchain);
}

/**
 * Returns the query for a kernel's records: those of this operator, target and options, by this version's code generator and any
 * compiler.
 *
 * @example
 * const database = openDatabase("records.jsonl");
 * const best = database.best(queryOf(gemm, { target: "avx2" }));      // or fastest(query, 10), or records(query)
 * if (best) await build(gemm, best.candidate, { target: "avx2", outDir: "kernels" });
 */
export function queryOf(op: Op, options: KernelOptions): TaskQuery {
  const task = taskOf(op, options);
  const key = taskKeyOf(task, spaceOf(task, options), options);
  return { task: key, targetClass: targetClass(task.target), codegen: codegenVersion };
}
