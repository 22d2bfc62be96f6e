// Statement of the flat loop IR of threads → PTX. Vectors are printed lane by lane; runs in memory are moved at once.

import { fromAffine } from "../../../ir/affine.ts";
import { constInt, gt } from "../../../ir/build.ts";
import { isLaneActive } from "../../../ir/lanes.ts";
import type { Assign, BoxSync, Define, Expr, For, If, Stmt, Store, Sync } from "../../../ir/loop-ir.ts";
import { withRange } from "../../../ir/ranges.ts";
import { isWarpWide } from "../../../ir/thread-axes.ts";
import { lanesOf } from "../../../ir/visit.ts";
import { invariant } from "../../../support/invariant.ts";
import { straightLines } from "../../straight-lines.ts";
import { alignedRun } from "../plan/aligned-run.ts";
import { isBoxCopy } from "../plan/boxes.ts";
import type { Choice } from "../plan/chosen.ts";
import { type Run, withGatheredLoads } from "../plan/gathered-loads.ts";
import { laneAt } from "../plan/lane.ts";
import { type CopiedRun, copiedRun, isInBackground, vectorLoadsIn } from "../plan/vector-moves.ts";
import { addressText } from "./address.ts";
import { printBoxes, printBoxSync } from "./box-copy.ts";
import { elementName, type PtxContext } from "./context.ts";
import type { Value } from "./emitter.ts";
import { both, elementAddress, evaluate, loadFrom } from "./expression.ts";
import { inLane } from "./lane-expression.ts";
import { int } from "./registers.ts";
import { copyBytes, loadVector, storeVector } from "./vectors.ts";
import { printTileAssign, printTileDefine, printTileStore } from "./warp-statement.ts";

/** Prints a statement; what a sequence of them loads of neighbours in memory is loaded together. */
export function printStatement(stmt: Stmt, context: PtxContext): void {
  const stmts = stmt.kind === "seq" ? stmt.body : [stmt];
  for (const line of straightLines(stmts, (buffer) => context.facts.read.has(buffer))) {
    const loaded = new Map(context.loaded);
    const inner = { ...context, loaded };
    for (const step of withGatheredLoads(line, context.facts)) {
      if ("run" in step) printRun(step.run, loaded, context);
      else printOne(step.stmt, inner);
    }
  }
}

/** Locals that a part of the code defines are known in it alone. */
const inside = (context: PtxContext): PtxContext => ({ ...context, locals: new Map(context.locals) });

function printOne(stmt: Stmt, context: PtxContext): void {
  switch (stmt.kind) {
    case "for":
      printLoop(stmt, context);
      break;
    case "seq":
      printStatement(stmt, inside(context));
      break;
    case "if":
      printIf(stmt, context);
      break;
    case "store":
      if (!isWarpWide(stmt.value)) printStore(stmt, context);
      else if (isBoxCopy(stmt, context.facts)) printBoxes(stmt, context);
      else printTileStore(stmt, context);
      break;
    case "define":
      (isWarpWide(stmt.value) ? printTileDefine : printLocal)(stmt, context);
      break;
    case "assign":
      (isWarpWide(stmt.value) ? printTileAssign : printLocal)(stmt, context);
      break;
    case "sync":
      if (stmt.slots !== undefined) printBoxSync(stmt.what as BoxSync, stmt.slots, context);
      else context.emitter.lines(syncs[stmt.what as keyof typeof syncs](stmt.pending));
      break;
    case "prefetch":
      break;
    case "block":
      invariant(false, `block ${stmt.name} reached the code generator`);
  }
}

const syncs = {
  barrier: () => "bar.sync 0;",
  commit: () => "cp.async.commit_group;",
  wait: (pending: number) => `cp.async.wait_group ${pending};`,
  publish: () => "fence.proxy.async.shared::cta;",
  "begin-products": () => "wgmma.fence.sync.aligned;",
  "commit-products": () => "wgmma.commit_group.sync.aligned;",
  "wait-products": (pending: number) => `wgmma.wait_group.sync.aligned ${pending};`,
} as const satisfies Record<Exclude<Sync["what"], BoxSync>, (pending: number) => string>;

// ── control ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A loop is unrolled as often as its word says, where that divides it. */
function printLoop({ name, extent, annotations, body }: For, context: PtxContext): void {
  const { emitter } = context;
  const wanted = annotations.unroll ?? 1;
  const times = extent % wanted === 0 ? wanted : 1;
  const [counter, label] = [emitter.variable("b32"), emitter.label()];
  const end = emitter.register("pred");
  const lines = emitter.block("loop", (depth) => {
    const first: Value = { ...counter, depth, isFixed: true };
    for (let at = 0; at < times; at++) {
      const value = at === 0 ? first : emitter.compute("add.s32", "b32", [first, int(at)], true);
      const variables = new Map(context.variables).set(name, value);
      const ranges = withRange(context.ranges, name, 0, extent - 1);
      printStatement(body, inside({ ...context, variables, ranges }));
    }
  });
  emitter.lines(
    `mov.b32 ${counter.text}, 0;`,
    `${label}:`,
    '.pragma "nounroll";',
    ...lines,
    `add.s32 ${counter.text}, ${counter.text}, ${times};`,
    `setp.lt.s32 ${end.text}, ${counter.text}, ${extent};`,
    `@${end.text} bra ${label};`,
  );
}

function printIf({ condition, then: yes, else: no }: If, context: PtxContext): void {
  const { emitter } = context;
  const test = evaluate(condition, context);
  // Both are printed before either takes its place: what they compute ahead comes before the choice.
  const [then, otherwise] = [yes, no].map((stmt) =>
    emitter.block("part", () => {
      if (stmt) printStatement(stmt, inside(context));
    }),
  );
  const [other, end] = [emitter.label(), emitter.label()];
  emitter.lines(`@!${test.text} bra ${other};`, ...then!);
  if (no) emitter.lines(`bra ${end};`, `${other}:`, ...otherwise!, `${end}:`);
  else emitter.lines(`${other}:`);
}

// ── stores ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function printStore(stmt: Store, context: PtxContext): void {
  const { buffer, value } = stmt;
  const { dtype } = value;
  const lanes = lanesOf(value);
  const copy = copiedRun(stmt);
  if (copy) {
    printCopy(stmt, copy, context);
    return;
  }
  const loaded = loadVectors(value, context);
  const inner = { ...context, loaded };
  const index = stmt.indices[0]!;
  const store = `st.${context.placeOf(buffer).space}`;
  const start = lanes === 1 || stmt.active ? null : alignedRun(index, dtype);
  const lane = (expr: Expr, at: number): Expr => inLane(expr, laneAt(at), loaded);
  if (start) {
    const values = Array.from({ length: lanes }, (_, at) => evaluate(lane(value, at), inner));
    storeVector(store, dtype, values, elementAddress(buffer, start, dtype, context), context);
    return;
  }
  for (let at = 0; at < lanes; at++) {
    const isActive = isLaneActive(stmt.active, at);
    if (isActive === false) continue;
    const guard = isActive ? null : evaluate(gt(stmt.active!, constInt(at)), context);
    const guarded = guard ? { ...inner, guard: both(context.guard, guard, context) } : inner;
    const result = evaluate(lane(value, at), guarded);
    const address = elementAddress(buffer, lane(index, at), dtype, inner);
    storeVector(guard ? `@${guard.text} ${store}` : store, dtype, [result], address, context);
  }
}

/** A move of a run, which goes on in the background where threads need not wait for it. */
function printCopy(stmt: Store, copy: CopiedRun, context: PtxContext): void {
  const { dtype } = stmt.value;
  const from = elementAddress(copy.load.buffer, copy.from, dtype, context);
  const to = elementAddress(stmt.buffer, copy.to, dtype, context);
  if (isInBackground(stmt, copy, context.facts)) {
    context.emitter.lines(`cp.async.cg.shared.global ${addressText(to)}, ${addressText(from)}, 16;`);
    return;
  }
  const store = `st.${context.placeOf(stmt.buffer).space}`;
  copyBytes(loadFrom(copy.load.buffer, context), store, copy.bytes, { from, to }, context);
}

// ── locals ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function printLocal(stmt: Define | Assign, context: PtxContext): void {
  const { value } = stmt;
  const lanes = lanesOf(value);
  const loaded = loadVectors(value, context);
  const inner = { ...context, loaded };
  if (lanes === 1) {
    setLocal(stmt, stmt.name, evaluate(value, inner), context);
    return;
  }
  // All lanes are computed before the first is set.
  const values = Array.from({ length: lanes }, (_, at) => evaluate(inLane(value, laneAt(at), loaded), inner));
  for (const [at, each] of values.entries()) setLocal(stmt, elementName(stmt.name, at), each, context);
}

/** Gives a local its value: its own register, where the value changes or the local does. */
function setLocal(
  { kind, name: whole }: Define | Assign,
  name: string,
  value: Value,
  { emitter, locals, assigned }: PtxContext,
): void {
  const changes = assigned.has(whole);
  if (kind === "define" && !changes && value.isFixed) {
    locals.set(name, value);
    return;
  }
  const register = kind === "define" ? (changes ? emitter.variable : emitter.register)(value.kind) : locals.get(name);
  invariant(register, `${name} is not defined`);
  locals.set(name, register);
  emitter.lines(`mov.${value.kind} ${register.text}, ${value.text};`);
  emitter.changed(register);
}

// ── vectors that are loaded as a whole ───────────────────────────────────────────────────────────────────────────────

/** Loads the runs in a value as a whole; returns their names. */
function loadVectors(value: Expr, context: PtxContext): ReadonlyMap<Expr, string> {
  const vectors = vectorLoadsIn(value, (load) => context.loaded.has(load));
  if (vectors.length === 0) return context.loaded;
  const loaded = new Map(context.loaded);
  for (const { load, start, ways } of vectors) {
    const guard = ways && both(context.guard, conditionOf(ways, context), context);
    const name = context.freshRun();
    const inner = { ...context, guard: guard ?? context.guard };
    const address = elementAddress(load.buffer, start, load.dtype, inner);
    const values = loadVector(loadFrom(load.buffer, context), load.dtype, lanesOf(load), address, inner);
    for (const [at, each] of values.entries()) context.locals.set(elementName(name, at), each);
    loaded.set(load, name);
  }
  return loaded;
}

/** Says when one of several ways is chosen. */
function conditionOf(ways: readonly (readonly Choice[])[], context: PtxContext): Value {
  const { compute } = context.emitter;
  const chosen = ({ condition, side }: Choice): Value => {
    const test = evaluate(condition, context);
    return side === "then" ? test : compute("not.pred", "pred", [test], false);
  };
  const all = ways.map((way) => way.map(chosen).reduce((a, b) => compute("and.pred", "pred", [a, b], false)));
  return all.reduce((a, b) => compute("or.pred", "pred", [a, b], false));
}

/** Loads a run, and notes the elements of it that loads stand for. */
function printRun({ buffer, dtype, start, elements }: Run, loaded: Map<Expr, string>, context: PtxContext): void {
  const name = context.freshRun();
  const address = elementAddress(buffer, fromAffine(start), dtype, context);
  const values = loadVector(loadFrom(buffer, context), dtype, elements.length, address, context);
  for (const [at, same] of elements.entries()) {
    context.locals.set(elementName(name, at), values[at]!);
    for (const load of same) loaded.set(load, elementName(name, at));
  }
}
