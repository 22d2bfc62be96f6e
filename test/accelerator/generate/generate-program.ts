// Flat loops → program. Loops around nests of one store run here, at build time; each nest becomes as few instructions as
// their loops allow. Products and their zeros, operands that are copied, results that are computed: there is nothing else.

import type { LoopFunc, Stmt } from "../../../src/compiler/index.ts";
import { childrenOf, ownExprs, walkExpr } from "../../../src/compiler/ir/visit.ts";
import type { Program } from "../isa/instruction.ts";
import type { Machine } from "../machine.ts";
import { boxOf, type Known } from "./box.ts";
import { createEmitter, type Emitter } from "./emitter.ts";
import { emitFill } from "./fill.ts";
import { conditionForms, type Nest, nestOf } from "./nest.ts";
import { isVectorOf, placeBuffers } from "./place-buffers.ts";
import { emitProduct } from "./product.ts";
import { Refusal } from "./refusal.ts";
import { emitResult } from "./result.ts";
import { withTokens } from "./tokens.ts";

/** @throws Refusal for what the machine cannot do, or has no room for */
export function generateProgram(func: LoopFunc, machine: Machine): Program {
  const placement = placeBuffers(func, machine);
  const emitter = createEmitter(placement, machine);
  const walk: Walk = { emitter, fills: fillsIn(func.body), local: [...placement.scratchpads.keys()] };
  generate(func.body, new Map(), walk);
  return { name: func.name, buffers: placement.memory, instructions: withTokens(emitter.operations) };
}

interface Walk {
  readonly emitter: Emitter;
  /** How many statements fill each buffer: write it without reading it. */
  readonly fills: ReadonlyMap<string, number>;
  /** Buffers in scratchpads whose next copy may be begun. */
  readonly local: readonly string[];
}

function generate(stmt: Stmt, known: Known, walk: Walk): void {
  const { written, read } = buffersIn(stmt);
  const filled = walk.local.filter((name) => written.has(name) && !read.has(name) && walk.fills.get(name) === 1);
  for (const name of stmt.kind === "seq" ? [] : filled) walk.emitter.advance(name);
  const inner = stmt.kind === "seq" ? walk : { ...walk, local: walk.local.filter((name) => !filled.includes(name)) };
  const nest = nestOf(stmt);
  if (nest) generateNest(nest, known, walk.emitter);
  else generateChildren(stmt, known, inner);
}

function generateChildren(stmt: Stmt, known: Known, walk: Walk): void {
  switch (stmt.kind) {
    case "seq":
      for (const child of stmt.body) generate(child, known, walk);
      return;
    case "for":
      for (let iteration = 0; iteration < stmt.extent; iteration++) {
        generate(stmt.body, new Map(known).set(stmt.name, { kind: "const", dtype: "i32", value: iteration }), walk);
      }
      return;
    case "if": {
      const holds = boxOf([], conditionForms(stmt.condition), known).at.every((value) => value >= 0);
      const chosen = holds ? stmt.then : stmt.else;
      if (chosen) generate(chosen, known, walk);
      return;
    }
    case "prefetch":
      return;
    default:
      throw new Refusal(`the machine has no ${stmt.kind}`);
  }
}

function generateNest(nest: Nest, known: Known, emitter: Emitter): void {
  const { buffer, value, active } = nest.store;
  if (active) throw new Refusal("the machine stores whole vectors");
  const place = emitter.place(buffer);
  if (isVectorOf(value)) emitProduct(emitter, nest, known);
  else if (place && place.scratchpad !== "sums") emitFill(emitter, nest, known);
  else emitResult(emitter, nest, known);
}

function fillsIn(body: Stmt): ReadonlyMap<string, number> {
  const fills = new Map<string, number>();
  const visit = (stmt: Stmt): void => {
    for (const child of childrenOf(stmt)) visit(child);
    if (stmt.kind !== "store") return;
    const { read } = buffersIn(stmt);
    if (!read.has(stmt.buffer)) fills.set(stmt.buffer, (fills.get(stmt.buffer) ?? 0) + 1);
  };
  visit(body);
  return fills;
}

interface Buffers {
  readonly written: ReadonlySet<string>;
  readonly read: ReadonlySet<string>;
}

const buffersByStmt = new WeakMap<Stmt, Buffers>();

/** The buffers that a statement, and all in it, writes and reads. */
function buffersIn(stmt: Stmt): Buffers {
  const known = buffersByStmt.get(stmt);
  if (known) return known;
  const children = childrenOf(stmt).map(buffersIn);
  const read = new Set(children.flatMap((it) => [...it.read]));
  for (const expr of ownExprs(stmt)) {
    walkExpr(expr, (it) => {
      if (it.kind === "load") read.add(it.buffer);
    });
  }
  const written = new Set([
    ...children.flatMap((it) => [...it.written]),
    ...(stmt.kind === "store" ? [stmt.buffer] : []),
  ]);
  const found = { written, read };
  buffersByStmt.set(stmt, found);
  return found;
}
