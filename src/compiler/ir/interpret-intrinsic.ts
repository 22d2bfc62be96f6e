// A call of an intrinsic → a closure that runs its meaning on the lanes of its operands.

import { invariant } from "../support/invariant.ts";
import { localBuffer } from "./buffer.ts";
import { createMemory, type Lane, type Memory, offsetOf, read, write } from "./interpret-memory.ts";
import type { Cell, ScalarFn, Scope, VectorFn } from "./interpret-scope.ts";
import type { Expr, For, IntrinsicCall, LoopFunc } from "./loop-ir.ts";
import { perfectNest } from "./perfect-nest.ts";

type CompileScalar = (expr: Expr, scope: Scope) => ScalarFn;

/** @param vectors the operands */
export function compileIntrinsic(
  { meaning, lanes }: IntrinsicCall,
  vectors: readonly VectorFn[],
  compileScalar: CompileScalar,
): VectorFn {
  const memories = meaning.buffers.map((buffer) => createMemory(localBuffer(buffer), null));
  const run = compileMeaning(meaning, memories, compileScalar);
  return () => {
    for (const [at, vector] of vectors.entries()) fill(memories[at]!, vector());
    run();
    return Array.from({ length: lanes }, (_, lane) => read(memories[0]!, lane));
  };
}

function fill(memory: Memory, lanes: readonly Lane[]): void {
  for (const [lane, value] of lanes.entries()) write(memory, lane, value);
}

function compileMeaning(meaning: LoopFunc, memories: readonly Memory[], compileScalar: CompileScalar): () => void {
  const nest = perfectNest(meaning.body);
  invariant(nest?.leaf.kind === "store", `the meaning ${meaning.name} is no store under loops`);
  const cells = new Map(nest.loops.map(({ name }): [string, Cell] => [name, { value: 0 }]));
  const scope: Scope = { cells, memories: new Map(memories.map((memory) => [memory.buffer.name, memory])) };
  const index = compileScalar(nest.leaf.indices[0]!, scope);
  const value = compileScalar(nest.leaf.value, scope);
  const result = memories[0]!;
  const update = () => write(result, offsetOf(result, [index()]), value());
  return nest.loops.reduceRight((inner, loop) => repeat(loop, cells.get(loop.name)!, inner), update);
}

function repeat({ extent }: For, cell: Cell, inner: () => void): () => void {
  return () => {
    for (let step = 0; step < extent; step++) {
      cell.value = step;
      inner();
    }
  };
}
