// LoopFunc (any form) + input arrays → output arrays: the second oracle. Slow, obvious and strict: it refuses an access
// outside a buffer, a name without a value, an output element that was never written, and an output element made of
// workspace or register elements that were never written. (Vectors may compute such lanes as long as none is stored.)

import type { TypedArray } from "../expr/kernel-type.ts";
import { arrayTypes } from "../expr/typed-array.ts";
import { invariant } from "../support/invariant.ts";
import { cellOf, compilePoints, compileScalar, compileVector, decisive, memoryOf } from "./interpret-expr.ts";
import { createMemory, type Memory, offsetBy, offsetOf, write } from "./interpret-memory.ts";
import type { Cell, Scope } from "./interpret-scope.ts";
import { compileThreads, isOfThreads } from "./interpret-threads.ts";
import { beginGroup, scopeAt, type Watch, watchAccess, watchLaunch, watchSync, watchWrite } from "./interpret-watch.ts";
import type { Block, BlockAxis, Expr, For, If, LoopFunc, Seq, Stmt, Store } from "./loop-ir.ts";
import { reduceLoopsOfBlock } from "./reduce-loops.ts";
import { isGridLoop } from "./thread-axes.ts";
import { lanesOf } from "./visit.ts";

type Action = () => void;

/**
 * Runs `func` once. Marks and tails are ignored: a loop is a loop, but for threads that each run all of a function.
 *
 * @param inputs one array for each input of `func`, by name, of the right type and length
 * @param watch notes all accesses, in a run that is watched: see `accessFindings`
 * @returns one new array for each output, by name
 * @example interpret(fromCompute(gemm), { A: new Float32Array(61 * 97), B: new Float32Array(97 * 83) }).C
 */
export function interpret(
  func: LoopFunc,
  inputs: Readonly<Record<string, TypedArray>>,
  watch: Watch | null = null,
): Readonly<Record<string, TypedArray>> {
  const memories = new Map<string, Memory>();
  for (const buffer of func.buffers) {
    const input = buffer.role === "input" ? inputs[buffer.name] : null;
    invariant(
      input === null || input instanceof arrayTypes[buffer.dtype],
      `input ${buffer.name} is not an array of ${buffer.dtype}`,
    );
    memories.set(buffer.name, createMemory(buffer, input));
  }
  compileStmt(func.body, { cells: new Map(), memories, ...(watch && { watch }) })();
  const outputs = [...memories.values()].filter(({ buffer }) => buffer.role === "output");
  return Object.fromEntries(outputs.map(contentsOf));
}

function contentsOf({ buffer, data, written }: Memory): [string, TypedArray] {
  const missing = written.indexOf(0);
  invariant(missing < 0, `${buffer.name}: element ${missing} was never written`);
  return [buffer.name, data];
}

const withCell = ({ cells, ...rest }: Scope, name: string, cell: Cell): Scope => ({
  ...rest,
  cells: new Map(cells).set(name, cell),
});

function compileStmt(stmt: Stmt, scope: Scope): Action {
  switch (stmt.kind) {
    case "for":
      return compileFor(stmt, scope);
    case "seq":
      return compileSeq(stmt, scope);
    case "if":
      return compileIf(stmt, scope);
    case "store":
      return compileStore(stmt, scopeAt(scope, stmt));
    case "define":
      // A `let` that is the only statement of its scope: its local is never read, but the value must be computable.
      return compileSeq({ kind: "seq", body: [stmt] }, scope);
    case "assign": {
      const cell = cellOf(scope, stmt.name);
      return compileSet(cell, stmt.value, scopeAt(scope, stmt));
    }
    case "prefetch":
      return () => {};
    case "sync":
      return watchSync(stmt, scope) ?? (() => {});
    case "block":
      return compileBlock(stmt, scope);
  }
}

function compileSet(cell: Cell, value: Expr, scope: Scope): Action {
  const compute = lanesOf(value) === 1 ? compileScalar(value, scope) : compileVector(value, scope);
  return () => {
    cell.value = compute();
  };
}

/** Runs a loop. Iterations of a parallel one come in any order: here backwards, so that one which needs another is found out. */
function compileFor(loop: For, scope: Scope): Action {
  if (isOfThreads(loop)) return compileThreads(loop, scope, compileStmt);
  if (scope.watch && isGridLoop(loop)) return compileGroups(loop, scope);
  const { name, extent, mark, body } = loop;
  const cell: Cell = { value: 0 };
  const run = compileStmt(body, withCell(scope, name, cell));
  return () => {
    for (let step = 0; step < extent; step++) {
      cell.value = mark === "parallel" ? extent - 1 - step : step;
      run();
    }
  };
}

/** A loop over groups of threads in a run that is watched. */
function compileGroups({ name, extent, body }: For, outer: Scope): Action {
  const { inside, around } = watchLaunch(outer);
  const cell: Cell = { value: 0 };
  const scope = withCell(inside, name, cell);
  const run = compileStmt(body, scope);
  return around(() => {
    for (let step = 0; step < extent; step++) {
      cell.value = step;
      beginGroup(scope);
      run();
    }
  });
}

function compileSeq({ body }: Seq, { cells: outer, ...rest }: Scope): Action {
  const cells = new Map(outer);
  const scope: Scope = { ...rest, cells };
  const actions = body.map((stmt) => {
    if (stmt.kind !== "define") return compileStmt(stmt, scope);
    const cell: Cell = { value: null };
    const action = compileSet(cell, stmt.value, scopeAt(scope, stmt));
    cells.set(stmt.name, cell);
    return action;
  });
  return () => {
    for (const action of actions) action();
  };
}

function compileIf(stmt: If, scope: Scope): Action {
  const condition = compileScalar(stmt.condition, scopeAt(scope, stmt));
  const yes = compileStmt(stmt.then, scope);
  const no = stmt.else && compileStmt(stmt.else, scope);
  return () => {
    if (decisive(condition(), "a condition") !== 0) yes();
    else no?.();
  };
}

function compileStore(stmt: Omit<Store, "kind">, scope: Scope): Action {
  const { buffer, indices, value } = stmt;
  const memory = memoryOf(scope, buffer, indices.length);
  invariant(memory.buffer.role !== "input", `${buffer} is an input and is stored to`);
  if (stmt.active || lanesOf(value) !== 1) return compileVectorStore(stmt, memory, scope);
  const point = indices.map((index) => compileScalar(index, scope));
  const compute = compileScalar(value, scope);
  const [seen, put] = [watchAccess(scope, memory, true), watchWrite(scope)];
  if (seen && put) {
    return () => {
      const lane = compute();
      put(memory, seen(point.map((index) => index())), lane);
    };
  }
  return () => {
    const lane = compute();
    write(memory, offsetBy(memory, point), lane);
  };
}

function compileVectorStore({ indices, value, active }: Omit<Store, "kind">, memory: Memory, scope: Scope): Action {
  const points = compilePoints(indices, scope);
  const values = compileVector(value, scope);
  const count = active && compileScalar(active, scope);
  const offset = watchAccess(scope, memory, true) ?? ((at) => offsetOf(memory, at));
  const put = watchWrite(scope) ?? write;
  return () => {
    const lanes = values();
    const limit = count ? decisive(count(), "a count of lanes") : lanes.length;
    points().forEach((point, lane) => {
      if (lane < limit) put(memory, offset(point), lanes[lane]!);
    });
  };
}

function compileBlock(block: Block, outer: Scope): Action {
  const cells = block.axes.map((): Cell => ({ value: 0 }));
  const scope = block.axes.reduce((each, axis, index) => withCell(each, axis.name, cells[index]!), outer);
  const bindings = block.bindings.map((binding) => compileScalar(binding, outer));
  const element = { buffer: block.buffer, indices: block.indices, active: null };
  const update = compileStore({ ...element, value: block.value }, scope);
  const init = block.init && compileStore({ ...element, value: block.init }, scope);
  const reduceCells = [...reduceLoopsOfBlock(block)].map((name) => cellOf(outer, name));
  const isInside = (role: BlockAxis["role"]): boolean =>
    block.axes.every((axis, index) => {
      if (axis.role !== role) return true;
      const value = decisive(bindings[index]!(), "a binding");
      cells[index]!.value = value;
      return value >= 0 && value < axis.extent;
    });
  return () => {
    if (!isInside("spatial")) return;
    if (init && reduceCells.every((cell) => cell.value === 0)) init();
    if (isInside("reduce")) update();
  };
}
