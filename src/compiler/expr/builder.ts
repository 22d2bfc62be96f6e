// Record of an operator while its function runs: the functions of the language add tensors, stages and the open compute
// to it. There is one builder at a time, set by instantiate() and restored when it is done.

import { type Around, callSite, callSiteText, currentMapper, type SourceMapper } from "../support/call-site.ts";
import { codeFrame } from "../support/code-frame.ts";
import type { DiagnosticCode } from "../support/codes.ts";
import { DiagnosticError } from "../support/diagnostic.ts";
import type { SourceLoc } from "../support/source-loc.ts";
import type { Stage, TensorDecl } from "./compute-def.ts";
import type { AxisExpr } from "./scalar-expr.ts";

/** An axis of some compute, or a reduce axis. Its node in expressions is one object, which is its identity. */
export interface AxisRecord {
  readonly node: AxisExpr;
  readonly extent: number;
  /** Name of the compute that it is an axis of; null for a reduce axis. */
  readonly owner: string | null;
}

/** The compute whose function is running. Its reductions are stages of their own until it is known which are needed. */
export interface OpenCompute {
  readonly name: string;
  readonly axes: readonly AxisRecord[];
  readonly pending: Stage[];
}

export interface Builder {
  readonly mapper: SourceMapper;
  /** Place that errors point to if no stack frame is the user's: the call that made the operator. */
  readonly origin: SourceLoc | null;
  readonly inputs: TensorDecl[];
  readonly stages: Stage[];
  readonly axes: Map<AxisExpr, AxisRecord>;
  /** Names that the operator's function asked its parameters for, and that are none. */
  readonly unknownParameters: Set<string>;
  open: OpenCompute | null;
}

let current: Builder | null = null;

/** Builder of the operator whose function is running; null: none is. */
export const currentBuilder = (): Builder | null => current;

/** Runs `body` with this builder, and restores the one before when `body` returns or throws. */
export function withBuilder<T>(builder: Builder, body: () => T): T {
  const before = current;
  current = builder;
  try {
    return body();
  } finally {
    current = before;
  }
}

/** Runs `body` as the function of a compute. */
export function withOpenCompute<T>(builder: Builder, open: OpenCompute, body: () => T): T {
  const before = builder.open;
  builder.open = open;
  try {
    return body();
  } finally {
    builder.open = before;
  }
}

export function builderFor(what: string): Builder {
  if (current) return current;
  return fail("expr.outside-op", `${what} is called outside an operator`, {
    hint: "call it inside the function that is given to defineOp",
  });
}

/** The place in the user's file from which the language was called. */
export function here(): SourceLoc | null {
  return callSite(current?.mapper ?? currentMapper()) ?? current?.origin ?? null;
}

/** The text around that place, in the code that is running. */
export const hereText = (): Around | null => callSiteText(current?.mapper ?? currentMapper());

export interface FailOptions {
  readonly hint?: string | null;
  /** The place, if it is not the call that is running. */
  readonly loc?: SourceLoc | null;
  /** Stands behind the underlined code: `B: f32[512, 512]`. */
  readonly note?: string | null;
}

/** The user's mistake, at the user's line. */
export function fail(code: DiagnosticCode, message: string, options: FailOptions): never {
  const { hint = null, note = null } = options;
  const loc = options.loc === undefined ? here() : options.loc;
  const line = loc && (current?.mapper ?? currentMapper()).line(loc);
  const frame = loc && line ? codeFrame(line, loc, note) : null;
  throw new DiagnosticError({ code, message, loc, hint, detail: frame ?? (note && `  ${note}`) });
}
