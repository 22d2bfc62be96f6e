// An operator and a trace → the target code of its kernel: schedule, lower, generate. Stages 5 to 7 in one call.

import { codeGeneratorOf } from "./backend/code-generators.ts";
import { jsGenerator } from "./codegen/js/js-generator.ts";
import { kernelName } from "./codegen/kernel-name.ts";
import type { JsSource, KernelSource } from "./codegen/kernel-source.ts";
import type { ComputeDef } from "./expr/compute-def.ts";
import { callsOf } from "./intrinsic/calls.ts";
import { fromCompute, loopName } from "./ir/from-compute.ts";
import type { Intrinsic } from "./ir/intrinsic.ts";
import type { LoopFunc } from "./ir/loop-ir.ts";
import { splitPreparation } from "./launch/split-preparation.ts";
import { runPasses } from "./lower/pipeline.ts";
import { type Replay, replay, schedule } from "./schedule/replay/replay.ts";
import type { Instruction, Trace } from "./schedule/trace.ts";
import { DiagnosticError } from "./support/diagnostic.ts";
import type { Numerics, Target } from "./target/target.ts";
import { targets } from "./target/targets.ts";

export interface KernelOptions {
  readonly numerics: Numerics;
  /** Checks the IR after every pass. Off in the search, where thousands are lowered and each is checked by running it. */
  readonly verify: boolean;
  /** Called after the schedule and after each pass; ends the generation by throwing, as it may take seconds. */
  readonly onPass?: (() => void) | undefined;
  /** Name of the kernel; default: that of `op`. Another algorithm (Winograd's) makes a kernel that keeps the operator's name. */
  readonly name?: string;
  /** Inputs that stay the same from call to call. */
  readonly constants?: readonly string[];
}

/** A kernel, and the one that computes what it takes of constant inputs, if there is anything: `splitPreparation`. */
export interface GeneratedKernel {
  readonly kind: "ok";
  readonly source: KernelSource;
  readonly prepare: KernelSource | null;
  /** Generates the code of the same lowered function for engines that fuse products and sums (relaxed SIMD). Only WASM's differs. */
  readonly relaxed: () => KernelSource;
}

export type KernelResult = GeneratedKernel | Extract<Replay, { readonly kind: "illegal" }>;

export function generateKernel(op: ComputeDef, trace: Trace, target: Target, options: KernelOptions): KernelResult {
  const { name = kernelName(op, target), constants = [] } = options;
  const scheduled = replay(fromCompute(op, name), trace, target.intrinsics);
  if (scheduled.kind === "illegal") return scheduled;
  options.onPass?.();
  const { prepare, run } = splitPreparation(scheduled.nest, constants);
  const generator = codeGeneratorOf(target);
  const { numerics, verify, onPass } = options;
  const lowered = (nest: LoopFunc): LoopFunc => runPasses(nest, generator.passes, { target, numerics, verify, onPass });
  const generate = (flat: LoopFunc, relaxed: boolean): KernelSource =>
    generator.generate(flat, { target, numerics, relaxed });
  // A generator refuses a kernel as a whole, not one instruction of its schedule: the whole trace is illegal for the machine.
  try {
    const flat = lowered(run);
    const [source, prepared] = [generate(flat, false), prepare && generate(lowered(prepare), false)];
    return { kind: "ok", source, prepare: prepared, relaxed: () => generate(flat, true) };
  } catch (error) {
    if (error instanceof DiagnosticError) return { kind: "illegal", at: trace.length, diagnostic: error.diagnostic };
    throw error;
  }
}

/** Makes the kernel that shows whether an intrinsic computes its meaning: the calls, and what an interpreter runs of them. */
export function intrinsicCalls(intrinsic: Intrinsic, target: Target, calls: number): IntrinsicCalls {
  const flat = callsOf(intrinsic, calls);
  return {
    flat,
    source: codeGeneratorOf(target).generate(flat, {
      target,
      numerics: intrinsic.exact ? "strict" : "fast",
      relaxed: false,
    }),
  };
}

export interface IntrinsicCalls {
  readonly flat: LoopFunc;
  readonly source: KernelSource;
}

/**
 * The plain loops of an operator in JavaScript, in the order of the reference: mode `off`, and the right answers of big
 * shapes. Only the sums are kept in locals, as anyone would write them.
 */
export function referenceLoops(op: ComputeDef): JsSource {
  const sums = op.stages
    .filter(({ reduce, axes }) => reduce && axes.length > 0)
    .map(({ name, axes }): Instruction => {
      return { kind: "cache-write", block: name, loop: loopName(name, axes.at(-1)!.name), scope: "register" };
    });
  // The passes for scalars ask nothing of a target; the plain loops have none of their own.
  const context = { target: targets.wasm, numerics: "strict", verify: false } as const;
  return jsGenerator.generate(runPasses(schedule(fromCompute(op), sums), jsGenerator.passes, context), context);
}
