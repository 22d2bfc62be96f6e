// A trace replayed on a naive loop nest: each instruction is checked, then applied.

import type { Intrinsic } from "../../ir/intrinsic.ts";
import type { LoopFunc } from "../../ir/loop-ir.ts";
import { type Diagnostic, DiagnosticError } from "../../support/diagnostic.ts";
import { primitiveOf } from "../primitive/index.ts";
import type { Trace } from "../trace.ts";

export type Replay =
  | { readonly kind: "ok"; readonly nest: LoopFunc }
  /** The instruction at `at` is not legal where it stands. */
  | { readonly kind: "illegal"; readonly at: number; readonly diagnostic: Diagnostic };

/** @param intrinsics those that the target carries beside ours, which the trace may name */
export function replay(nest: LoopFunc, trace: Trace, intrinsics?: readonly Intrinsic[]): Replay {
  let current = nest;
  for (const [at, instruction] of trace.entries()) {
    const primitive = primitiveOf(instruction.kind);
    const diagnostic = primitive.check(current, instruction, intrinsics);
    if (diagnostic) return { kind: "illegal", at, diagnostic };
    current = primitive.apply(current, instruction);
  }
  return { kind: "ok", nest: current };
}

/** Replays a trace like `replay`, but throws at an illegal instruction. For schedules written by hand. */
export function schedule(nest: LoopFunc, trace: Trace, intrinsics?: readonly Intrinsic[]): LoopFunc {
  const result = replay(nest, trace, intrinsics);
  if (result.kind === "illegal") throw new DiagnosticError(result.diagnostic);
  return result.nest;
}

/** Text of a trace, one line an instruction. */
export const printTrace = (trace: Trace): string =>
  trace.map((instruction) => primitiveOf(instruction.kind).print(instruction)).join("\n");
