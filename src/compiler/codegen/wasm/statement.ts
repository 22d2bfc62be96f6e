// Statements of the flat form → code that leaves nothing on the stack.

import { lanesOf } from "../../ir/lanes.ts";
import type { Assign, Define, Expr, For, If, Seq, Stmt, Store } from "../../ir/loop-ir.ts";
import { operandsOf } from "../../ir/visit.ts";
import { flatMap } from "../../support/flat-map.ts";
import { invariant } from "../../support/invariant.ts";
import { bindingOf, type Context, type LoopScope } from "./context.ts";
import { type Code, ifElse, set } from "./instruction.ts";
import { type LaneRange, laneRangesOf } from "./lane-range.ts";
import { closeLoop, closeSingle } from "./loop-pointer.ts";
import { naturalLaneBytes } from "./mask.ts";
import { mask, scalar, vector } from "./operand.ts";
import { storeScalar } from "./scalar.ts";
import { scalarType } from "./value-type.ts";
import { splatCode } from "./vector.ts";
import { storeVector } from "./vector-store.ts";

export function statement(context: Context, stmt: Stmt): Code {
  switch (stmt.kind) {
    case "for":
      return forLoop(context, stmt);
    case "seq":
      return sequence(context, stmt);
    case "if":
      return conditional(context, stmt);
    case "store":
      return store(context, stmt);
    case "define":
      return define(context, stmt);
    case "assign":
      return assign(context, stmt);
    case "prefetch":
    case "sync":
      return [];
    case "block":
      invariant(false, `block ${stmt.name} in the flat form`);
  }
}

function forLoop(context: Context, loop: For): Code {
  const { name, extent, body } = loop;
  if (extent < 1) return [];
  const scope: LoopScope = { name, extent, pointers: new Map() };
  context.loops.push(scope);
  const code = statement(context, body);
  return extent > 1 ? closeLoop(context, scope, code) : closeSingle(context, scope, code);
}

function sequence(context: Context, { body }: Seq): Code {
  const { bindings, locals } = context;
  const names = flatMap(body, (stmt) => (stmt.kind === "define" ? [stmt.name] : []));
  const hidden = names.map((name) => bindings.get(name));
  const code = flatMap(body, (stmt) => statement(context, stmt));
  names.forEach((name, index) => {
    for (const local of bindings.get(name)?.locals ?? []) locals.release(local);
    const outer = hidden[index];
    if (outer) bindings.set(name, outer);
    else bindings.delete(name);
  });
  return code;
}

function conditional(context: Context, { condition, then, else: otherwise }: If): Code {
  const test = scalar(context, condition);
  const branches = [statement(context, then), otherwise && statement(context, otherwise)] as const;
  return [...test, ...ifElse(null, ...branches)];
}

function store(context: Context, stmt: Store): Code {
  const { buffer, indices, value, active } = stmt;
  if (lanesOf(value) > 1) return withSplats(context, value, () => storeVector(context, stmt));
  const [index] = indices;
  invariant(index, `a store to ${buffer} without an index`);
  const code = storeScalar(context, buffer, index, value);
  if (!active) return code;
  const isActive: Expr = { kind: "binary", dtype: "bool", op: "gt", left: active, right: zero };
  return [...scalar(context, isActive), ...ifElse(null, code, null)];
}

const zero: Expr = { kind: "const", dtype: "i32", value: 0 };

function define(context: Context, { name, dtype, lanes, value }: Define): Code {
  if (lanes === 1) {
    const code = scalar(context, value);
    const local = context.locals.take(scalarType[dtype]);
    context.bindings.set(name, { locals: [local], laneBytes: 0 });
    return [...code, set(local)];
  }
  const laneBytes = naturalLaneBytes(value);
  const parts = laneRangesOf(lanes, laneBytes);
  const locals = parts.map(() => context.locals.take("v128"));
  const code = assignParts(context, value, { locals, laneBytes }, parts);
  context.bindings.set(name, { locals, laneBytes });
  return code;
}

function assign(context: Context, { name, value }: Assign): Code {
  const binding = bindingOf(context, name);
  if (lanesOf(value) === 1) return [...scalar(context, value), set(binding.locals[0] ?? 0)];
  return assignParts(context, value, binding, laneRangesOf(lanesOf(value), binding.laneBytes));
}

function assignParts(
  context: Context,
  value: Expr,
  { locals, laneBytes }: { readonly locals: readonly number[]; readonly laneBytes: number },
  parts: readonly LaneRange[],
): Code {
  const part = (range: LaneRange) =>
    value.dtype === "bool" ? mask(context, value, range, laneBytes) : vector(context, value, range);
  return withSplats(context, value, () => flatMap(parts, (range, index) => [...part(range), set(locals[index] ?? 0)]));
}

/** Computes each broadcast of a vector of several parts once, before the parts. */
function withSplats(context: Context, value: Expr, make: () => Code): Code {
  if (laneRangesOf(lanesOf(value), naturalLaneBytes(value)).length === 1) return make();
  const splats = costlyBroadcasts(value).map((expr) => {
    const code = splatCode(context, expr);
    return { expr, code, local: context.locals.fresh("v128") };
  });
  for (const { expr, local } of splats) context.splats.set(expr, local);
  const code = make();
  for (const { expr, local } of splats) {
    context.splats.delete(expr);
    context.locals.release(local);
  }
  return [...flatMap(splats, (splat) => [...splat.code, set(splat.local)]), ...code];
}

type Broadcasts = readonly Extract<Expr, { kind: "broadcast" }>[];

/** Broadcasts that are worth a local. Those that a scalar condition may skip are not among them: evaluating them could leave a buffer. */
function costlyBroadcasts(expr: Expr): Broadcasts {
  if (lanesOf(expr) === 1 || expr.kind === "load") return [];
  if (expr.kind === "broadcast") return expr.dtype === "bool" || expr.value.kind === "const" ? [] : [expr];
  if (expr.kind === "select" && lanesOf(expr.condition) === 1) return [];
  return flatMap(operandsOf(expr), costlyBroadcasts);
}
