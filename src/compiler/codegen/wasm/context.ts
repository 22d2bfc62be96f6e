// State that the emitters of one function share: the places of buffers and locals, and the loops that are open.

import type { Affine } from "../../ir/affine.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import type { Code } from "./instruction.ts";
import type { LaneRange, ValuePlace } from "./lane-range.ts";
import type { LocalPool } from "./local-pool.ts";
import type { MemoryLayout } from "./memory-layout.ts";
import type { RunTimeName } from "./run-time-functions.ts";

/** An open loop and the pointers that it maintains. */
export interface LoopScope {
  readonly name: string;
  readonly extent: number;
  /** Pointers by the key of the linear form that each holds. */
  readonly pointers: Map<string, Pointer>;
}

/** A local with the value of a linear form of loop variables. */
export interface Pointer {
  readonly local: number;
  readonly affine: Affine;
}

/** Writers of whole expressions: `scalarCode`, `vectorCode` and `maskCode`. */
export interface Emitters {
  readonly scalar: (context: Context, expr: Expr) => Code;
  readonly vector: (context: Context, expr: Expr, range: LaneRange) => Code;
  readonly mask: (context: Context, expr: Expr, range: LaneRange, laneBytes: number) => Code;
}

export interface Context {
  readonly layout: MemoryLayout;
  /** Whether products and sums may become relaxed_madd. */
  readonly relaxed: boolean;
  readonly locals: LocalPool;
  /** Whether integer sums of loop variables may become pointers of their loops. */
  readonly hoisting: boolean;
  /** The run-time functions that the code calls; emitters add to it. */
  readonly runTime: Set<RunTimeName>;
  /** Open loops, the innermost last. */
  readonly loops: LoopScope[];
  /** Bindings of the `define`s in force, by name. */
  readonly bindings: Map<string, ValuePlace>;
  /** Broadcasts of the statement at hand that were computed once for all its parts. */
  readonly splats: Map<Expr, number>;
  readonly emit: Emitters;
}

/** The variable that says which thread it is: a loop around all code of a module with loops to share. */
export const slotVariable = "$slot";

export function bindingOf(context: Context, name: string): ValuePlace {
  const binding = context.bindings.get(name);
  invariant(binding, `local ${name} is used before its define`);
  return binding;
}

export function loopScopeOf(context: Context, name: string): LoopScope {
  const scope = context.loops.findLast((loop) => loop.name === name);
  invariant(scope, `${name} is not a loop around its use`);
  return scope;
}
