// An operator and a trace → the target code of its kernel: schedule, lower, generate. Stages 5 to 7 in one call.

import { generateC } from "./codegen/c/generate-c.ts";
import { generateJs } from "./codegen/js/generate-js.ts";
import { kernelName } from "./codegen/kernel-name.ts";
import type { CSource, JsSource, WasmSource } from "./codegen/kernel-source.ts";
import { generateWasm } from "./codegen/wasm/generate-wasm.ts";
import type { ComputeDef } from "./expr/compute-def.ts";
import { fromCompute, loopName } from "./ir/from-compute.ts";
import { lower, lowerScalars } from "./lower/pipeline.ts";
import { type Replay, replay, schedule } from "./schedule/replay.ts";
import type { Instruction, Trace } from "./schedule/trace.ts";
import type { Numerics, Target } from "./target/target.ts";
import { targets } from "./target/targets.ts";

export interface KernelOptions {
  readonly numerics: Numerics;
  /** Checks the IR after every pass. Off in the search, where thousands are lowered and each is checked by running it. */
  readonly verify: boolean;
  /** WASM only: the twin with fused multiply-adds. */
  readonly relaxed: boolean;
  /** What the kernel is called, if not after `op`: another algorithm makes the same kernel. */
  readonly name?: string;
}

export type KernelResult =
  | { readonly kind: "ok"; readonly source: CSource | WasmSource }
  | Extract<Replay, { readonly kind: "illegal" }>;

export function generateKernel(op: ComputeDef, trace: Trace, target: Target, options: KernelOptions): KernelResult {
  const { numerics, verify, relaxed, name = kernelName(op, target) } = options;
  const scheduled = replay(fromCompute(op, name), trace);
  if (scheduled.kind === "illegal") return scheduled;
  const flat = lower(scheduled.nest, { target, numerics, verify });
  const source = target.codegen === "wasm" ? generateWasm(flat, { relaxed }) : generateC(flat, target, { numerics });
  return { kind: "ok", source };
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
