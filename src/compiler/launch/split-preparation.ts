// Statements that depend on constant inputs alone → a function of its own, to be run once for many calls: weights in
// another layout, transformed filters. Only statements before all loops move; packs that a loop makes, block by block,
// stay.
//
//   B.layout[…] = B[…]                            prepare(B) → B.layout
//   for …: C[i, j] += A[i, k] * B.layout[…]  →    run(A, B, B.layout) → C
//
// TVM calls the first of them layout rewriting (MetaSchedule's RewriteLayout), for buffers that are declared layout-free.

import { isParameter, parameterBuffer } from "../ir/buffer.ts";
import type { Buffer, LoopFunc, Stmt } from "../ir/loop-ir.ts";
import { flattenSeq } from "../ir/visit.ts";
import { buffersRead } from "../schedule/dataflow.ts";
import { blocksIn } from "../schedule/nest.ts";

export interface Preparation {
  /** Constant inputs → what `run` reads of them. Null: nothing depends on them alone. */
  readonly prepare: LoopFunc | null;
  /** Inputs, then the results of `prepare`, then outputs. */
  readonly run: LoopFunc;
}

/** A part of the function that stands by itself, and the buffers that it touches. */
interface Part {
  readonly stmt: Stmt;
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

/** @param constants names of inputs. Without any nothing is taken out, not even what depends on no input at all. */
export function splitPreparation(nest: LoopFunc, constants: readonly string[]): Preparation {
  if (constants.length === 0) return { prepare: null, run: nest };
  const parts = flattenSeq([nest.body]).body.map(partOf);
  const fixed = fixedParts(parts, nest.buffers, constants);
  const others = parts.filter((part) => !fixed.includes(part));
  const used = new Set(others.flatMap(({ reads }) => [...reads]));
  const results = new Set(fixed.flatMap(({ writes }) => [...writes]).filter((name) => used.has(name)));
  if (results.size === 0) return { prepare: null, run: nest };
  return {
    prepare: functionOf(`${nest.name}_prepare`, fixed, preparationBuffers(nest.buffers, fixed, results)),
    run: functionOf(nest.name, others, runBuffers(nest.buffers, others, results)),
  };
}

function partOf(stmt: Stmt): Part {
  const blocks = blocksIn(stmt);
  const reads = new Set(blocks.flatMap((block) => [...buffersRead(block)]));
  return { stmt, reads, writes: new Set(blocks.map(({ buffer }) => buffer)) };
}

/** The largest set of parts that write no result of the kernel, and read and write nothing that other parts write. */
function fixedParts(parts: readonly Part[], buffers: readonly Buffer[], constants: readonly string[]): readonly Part[] {
  const isOwn = (name: string): boolean => buffers.some((it) => it.name === name && !isParameter(it));
  let fixed = parts;
  for (;;) {
    const isFixed = (name: string): boolean =>
      isOwn(name) && parts.every((part) => !part.writes.has(name) || fixed.includes(part));
    const kept = fixed.filter(
      ({ reads, writes }) =>
        [...writes].every(isFixed) && [...reads].every((name) => constants.includes(name) || isFixed(name)),
    );
    if (kept.length === fixed.length) return kept;
    fixed = kept;
  }
}

const functionOf = (name: string, parts: readonly Part[], buffers: readonly Buffer[]): LoopFunc => ({
  name,
  buffers,
  body: flattenSeq(parts.map(({ stmt }) => stmt)),
});

const touches = (parts: readonly Part[], { name }: Buffer): boolean =>
  parts.some(({ reads, writes }) => reads.has(name) || writes.has(name));

/** The inputs that are read, the results as outputs, and what is between them. */
function preparationBuffers(
  buffers: readonly Buffer[],
  fixed: readonly Part[],
  results: ReadonlySet<string>,
): readonly Buffer[] {
  const touched = buffers.filter((buffer) => touches(fixed, buffer));
  return [
    ...touched.filter(({ role }) => role === "input"),
    ...touched.filter(({ name }) => results.has(name)).map((buffer) => parameterBuffer(buffer, "output")),
    ...touched.filter(({ name, role }) => role !== "input" && !results.has(name)),
  ];
}

/** All inputs, as callers give them, whether they are still read or not. */
function runBuffers(
  buffers: readonly Buffer[],
  others: readonly Part[],
  results: ReadonlySet<string>,
): readonly Buffer[] {
  return [
    ...buffers.filter(({ role }) => role === "input"),
    ...buffers.filter(({ name }) => results.has(name)).map((buffer) => parameterBuffer(buffer, "input")),
    ...buffers.filter(
      (it) => it.role !== "input" && !results.has(it.name) && (it.role === "output" || touches(others, it)),
    ),
  ];
}
