// Compute a consumer where its producer is: under one of the producer's loops, after the body, for just the region that
// is complete there. Bias and activation of a tile while it is in the cache.
//
//   for C.i.0                               for C.i.0
//     for C.j, for C.k, for C.i.1             for C.j, for C.k, for C.i.1
//       C[C.i.0*4 + C.i.1, j] += …              C[C.i.1, j] += …
//   for D.i, for D.j                   →      for D.i in 0..4, for D.j
//     D[i, j] = relu(C[i, j])                   D[C.i.0*4 + D.i, j] = relu(C[D.i, j])
//
// Under a reduce loop the consumer runs after the last iteration: an axis of one element, bound to `loop - (extent - 1)`,
// says so, for an instance outside its axes does not run. A buffer that no other block needs shrinks to the region. The
// consumer must not have been scheduled yet, and what else it reads must have been computed before.

import { add, constInt, mul, sub, variable } from "../../ir/build.ts";
import { sameExpr } from "../../ir/expr-key.ts";
import type { Block, BlockAxis, Expr, For, LoopFunc } from "../../ir/loop-ir.ts";
import { printExpr } from "../../ir/print-expr.ts";
import { updateBlock, updateFor } from "../../ir/update.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { type CompleteRegion, completeAfter } from "../complete-region.ts";
import { buffersRead, lateOperand, loadsOf, writersOf } from "../dataflow.ts";
import { blocksIn, bufferNamed, findBlock, findLoop, replaceLoop, wrapLoops } from "../nest.ts";
import { countOf, type DimRegion } from "../region.ts";
import { dropNest, isNaive } from "./compute-at.ts";
import { blockField, loopField } from "./field.ts";
import { illegal, noSuchBlock, noSuchLoop, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";
import { shrinkIfLocal } from "./shrink.ts";

export const reverseComputeAt = definePrimitive({
  kind: "reverse-compute-at",
  fields: [blockField, loopField],
  role: "step",

  check(nest, { block: name, loop }) {
    const place = findBlock(nest, name);
    if (!place) return noSuchBlock("reverse-compute-at.no-such-block", nest, name);
    if (!findLoop(nest, loop)) return noSuchLoop("reverse-compute-at.no-such-loop", nest, loop);
    const no: Refuse = (code, text, hint = null, marked = [loop]) =>
      illegal(`reverse-compute-at.${code}`, nest, marked, text, hint);
    if (!isNaive(nest, place)) {
      return no("scheduled", `${name} has been scheduled already`, "place a consumer first, then tile it");
    }
    return checkOperands(nest, place.block, loop, no) ?? checkRegion(nest, place.block, loop, no);
  },

  apply(nest, { block: name, loop }) {
    const { block, around } = findBlock(nest, name)!;
    const buffer = producedUnder(nest, block, loop)[0]!;
    const { region, bound } = planOf(nest, block, loop, buffer)!;
    const moved = placed(block, around, region, bound);
    const without: LoopFunc = { ...nest, body: dropNest(nest.body, around[0]!.name) };
    const after = replaceLoop(without, loop, (it) => updateFor(it, { body: { kind: "seq", body: [it.body, moved] } }));
    return shrinkIfLocal(after, buffer, loop);
  },

  print: ({ block, loop }) => `reverse-compute-at ${block} at ${loop}`,
});

type Refuse = (
  code: ReasonOf<"reverse-compute-at">,
  text: string,
  hint?: string | null,
  marked?: readonly string[],
) => Diagnostic;

/** Buffers that the consumer reads and the loop's body writes. */
function producedUnder(nest: LoopFunc, consumer: Block, loop: string): readonly string[] {
  const read = buffersRead(consumer);
  const written = blocksIn(findLoop(nest, loop)!.loop).filter((block) => block !== consumer);
  return [...new Set(written.map(({ buffer }) => buffer))].filter((buffer) => read.has(buffer));
}

function checkOperands(nest: LoopFunc, block: Block, loop: string, no: Refuse): Diagnostic | null {
  const { name } = block;
  const produced = producedUnder(nest, block, loop);
  const [buffer] = produced;
  if (!buffer) return no("no-consumer", `${name} reads nothing that is computed under ${loop}`);
  if (produced.length > 1) {
    return no("several-producers", `${name} reads ${produced.join(" and ")}, which are all computed under ${loop}`);
  }
  const target = findLoop(nest, loop)!;
  const under = new Set(blocksIn(target.loop));
  const elsewhere = writersOf(nest, buffer).find((writer) => !under.has(writer));
  if (elsewhere) return no("other-producer", `${elsewhere.name} writes ${buffer} outside ${loop}`);
  const late = lateOperand(nest, block, target.around[0] ?? target.loop, [buffer, block.buffer]);
  if (late) {
    return no("not-ready", `${name} reads ${late.buffer}, which is not complete before ${loop}`, null, [
      loop,
      late.writer,
    ]);
  }
  return null;
}

function checkRegion(nest: LoopFunc, block: Block, loop: string, no: Refuse): Diagnostic | null {
  const buffer = producedUnder(nest, block, loop)[0]!;
  const completion = completeAfter(nest, loop, writersOf(nest, buffer));
  switch (completion.kind) {
    case "not-affine":
      return no("not-affine", `${buffer} is not written at affine indices under ${loop}`);
    case "in-parts":
      return no("in-parts", `an iteration of ${loop} does not complete a box of ${buffer}`);
    case "complete":
      break;
  }
  const { region } = completion;
  const bound = boundAxes(nest, block, buffer, region);
  if ("read" in bound) {
    const element = `${buffer}[${bound.read.map(printExpr).join(", ")}]`;
    return no("incomplete", `${block.name} reads ${element}, which an iteration of ${loop} need not have completed`);
  }
  const sum = block.axes.find(({ name, role }) => role === "reduce" && bound.axes.has(name));
  if (!sum || region.once) return null;
  return no("summed-twice", `${block.name} would add up some elements of ${buffer} in several iterations`);
}

interface MovePlan {
  readonly region: CompleteRegion;
  readonly bound: ReadonlyMap<string, DimRegion>;
}

function planOf(nest: LoopFunc, block: Block, loop: string, buffer: string): MovePlan | null {
  const completion = completeAfter(nest, loop, writersOf(nest, buffer));
  if (completion.kind !== "complete") return null;
  const bound = boundAxes(nest, block, buffer, completion.region);
  return "read" in bound ? null : { region: completion.region, bound: bound.axes };
}

type Bound = { readonly axes: ReadonlyMap<string, DimRegion> } | { readonly read: readonly Expr[] };

/** The consumer's axes that walk over the region, or a read that may lie outside it. */
function boundAxes(nest: LoopFunc, block: Block, buffer: string, { box }: CompleteRegion): Bound {
  const { shape } = bufferNamed(nest, buffer)!;
  const reads = loadsOf(block, buffer);
  const first = reads[0]!;
  const axes = new Map<string, DimRegion>();
  for (const [dim, part] of box.entries()) {
    if (isWhole(part, shape[dim]!)) continue;
    const index = first[dim]!;
    if (index.kind !== "var" || axes.has(index.name)) return { read: first };
    const other = reads.find((read) => !sameExpr(read[dim]!, index));
    if (other) return { read: other };
    axes.set(index.name, part);
  }
  return { axes };
}

const isWhole = ({ startAffine, extent, step }: DimRegion, size: number): boolean =>
  startAffine.terms.length === 0 && startAffine.constant <= 0 && startAffine.constant + extent >= size && step === 1;

/** The consumer over the region, in the last iterations of the reduce loops around. */
function placed(block: Block, around: readonly For[], { last }: CompleteRegion, bound: ReadonlyMap<string, DimRegion>) {
  const loops = around.map((loop, at): For => {
    const dim = bound.get(block.axes[at]!.name);
    return dim ? updateFor(loop, { extent: countOf(dim) }) : loop;
  });
  const bindings = loops.map(({ name }, at): Expr => {
    const dim = bound.get(block.axes[at]!.name);
    return dim ? add(dim.start, mul(variable(name), constInt(dim.step))) : variable(name);
  });
  const atLast = last.map(({ name, extent }) => sub(variable(name), constInt(extent - 1)));
  const lastAxes = last.map(
    ({ name }): BlockAxis => ({ name: `last_${name.replaceAll(".", "_")}`, extent: 1, role: "spatial" }),
  );
  const axes = [...block.axes, ...lastAxes];
  return wrapLoops(loops, updateBlock(block, { axes, bindings: [...bindings, ...atLast] }));
}
