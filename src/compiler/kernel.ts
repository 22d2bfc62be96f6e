// An operator and a trace → the target code of its kernel: schedule, lower, generate. Stages 5 to 7 in one call.

import { generateC } from "./codegen/c/generate-c.ts";
import { generateJs } from "./codegen/js/generate-js.ts";
import { kernelName } from "./codegen/kernel-name.ts";
import type { CSource, JsSource, WasmSource } from "./codegen/kernel-source.ts";
import { generateWasm } from "./codegen/wasm/generate-wasm.ts";
import type { ComputeDef } from "./expr/compute-def.ts";
import { callsOf } from "./intrinsic/calls.ts";
import { fromCompute, loopName } from "./ir/from-compute.ts";
import type { Intrinsic } from "./ir/intrinsic.ts";
import type { LoopFunc } from "./ir/loop-ir.ts";
import { lower, lowerScalars } from "./lower/pipeline.ts";
import { type Replay, replay, schedule } from "./schedule/replay/replay.ts";
import { splitPreparation } from "./schedule/split-preparation.ts";
import type { Instruction, Trace } from "./schedule/trace.ts";
import type { Numerics, Target } from "./target/target.ts";
import { targets } from "./target/targets.ts";

export interface KernelOptions {
  readonly numerics: Numerics;
  /** Checks the IR after every pass. Off in the search, where thousands are lowered and each is checked by running it. */
  readonly verify: boolean;
  /** Called after the schedule and after each pass; ends the generation by throwing, as it may take seconds. */
  readonly onPass?: (() => void) | undefined;
  /** Whether to generate the module with fused multiply-adds (relaxed SIMD). WASM only. */
  readonly relaxed: boolean;
  /** Name of the kernel; default: that of `op`. Another algorithm (Winograd's) makes a kernel that keeps the operator's name. */
  readonly name?: string;
  /** Inputs that stay the same from call to call. */
  readonly constants?: readonly string[];
}

/** A kernel, and the one that computes what it takes of constant inputs, if there is anything: `splitPreparation`. */
export interface GeneratedKernel {
  readonly kind: "ok";
  readonly source: CSource | WasmSource;
  readonly prepare: CSource | WasmSource | null;
}

export type KernelResult = GeneratedKernel | Extract<Replay, { readonly kind: "illegal" }>;

export function generateKernel(op: ComputeDef, trace: Trace, target: Target, options: KernelOptions): KernelResult {
  const { name = kernelName(op, target), constants = [] } = options;
  const scheduled = replay(fromCompute(op, name), trace, target.intrinsics);
  if (scheduled.kind === "illegal") return scheduled;
  options.onPass?.();
  const { prepare, run } = splitPreparation(scheduled.nest, constants);
  const generate = (nest: LoopFunc): CSource | WasmSource => generateSource(nest, target, options);
  return { kind: "ok", source: generate(run), prepare: prepare && generate(prepare) };
}

function generateSource(nest: LoopFunc, target: Target, options: KernelOptions): CSource | WasmSource {
  const { numerics, verify, relaxed, onPass } = options;
  return generateFlat(lower(nest, { target, numerics, verify, onPass }), target, { numerics, relaxed });
}

function generateFlat(
  flat: LoopFunc,
  target: Target,
  { numerics, relaxed }: Pick<KernelOptions, "numerics" | "relaxed">,
): CSource | WasmSource {
  const { threads } = target;
  return target.codegen === "wasm" ? generateWasm(flat, { relaxed, threads }) : generateC(flat, target, { numerics });
}

/** Makes the kernel that shows whether an intrinsic computes its meaning: the calls, and what an interpreter runs of them. */
export function intrinsicCalls(intrinsic: Intrinsic, target: Target, calls: number): IntrinsicCalls {
  const flat = callsOf(intrinsic, calls);
  return {
    flat,
    source: generateFlat(flat, target, { numerics: intrinsic.exact ? "strict" : "fast", relaxed: false }),
  };
}

export interface IntrinsicCalls {
  readonly flat: LoopFunc;
  readonly source: CSource | WasmSource;
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
  const context = { target: targets.wasm, numerics: "strict" } as const;
  return generateJs(lowerScalars(schedule(fromCompute(op), sums), context));
}
