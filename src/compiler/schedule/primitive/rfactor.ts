// Factor a reduction: keep the partial results of each iteration of one of its loops apart, and reduce those at the end.
//
//   for C.i                              for C.i
//     for C.k.0                            for C.k.0
//       for C.k.1                  →         for C.k.1: block C.rf (…, rf = C.k.1): C.rf[rf] += …   init 0
//         C[i] += …  init 0                for C.k.1.final: block C: C[i] += C.rf[C.k.1.final]      init 0
//
// The partial results stand where the outermost loop of the reduction does, so they are as many as the loop has
// iterations, for each element that the loops inside run over; their dimensions are in the order of those loops. The loop
// drives no reduction any more and can be vectorized, or unrolled into sums that do not wait for each other. After
// `rfactor` of TVM and Halide (Suriana et al., "Parallel associative reductions in Halide", CGO 2017).
//
// Legal for operations that are associative and commutative: sums, products, maxima, minima. With floats the rounding
// changes (and the sign of the maximum of 0 and -0). The rules decide by the numerics whether that is allowed.

import { localBuffer } from "../../ir/buffer.ts";
import { loadOf, variable } from "../../ir/build.ts";
import type { Block, BlockAxis, Buffer, Expr, For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { updateBinary, updateBlock, updateFor } from "../../ir/update.ts";
import { someExpr, substitute, varsIn } from "../../ir/visit.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { freshName } from "../../support/fresh-name.ts";
import { invariant } from "../../support/invariant.ts";
import {
  bindAxes,
  blocksIn,
  bufferNamed,
  findBlock,
  findLoop,
  isNameTaken,
  mapBlocks,
  reduceVars,
  replaceLoop,
  withBuffer,
  wrapLoops,
} from "../nest.ts";
import { isAssociative, isLoadOf } from "../reduction.ts";
import { boundingBox, fromStart } from "../region.ts";
import { copyNames, copySpatialLoops } from "../spatial-copy.ts";
import { loopField } from "./field.ts";
import { illegal, noSuchLoop, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

export const rfactor = definePrimitive({
  kind: "rfactor",
  fields: [loopField],
  role: "step",

  check(nest, { loop }) {
    const place = findLoop(nest, loop);
    if (!place) return noSuchLoop("rfactor.no-such-loop", nest, loop);
    const reductions = blocksIn(place.loop).filter((block) => reduceVars(block).has(loop));
    return whyNot(nest, loop, reductions);
  },

  apply(nest, { loop }) {
    const site = siteOf(nest, loop);
    const { block, outermost } = site;
    const { buffer, indices } = partialsOf(nest, site)!;
    const partial = partialBlock(site, buffer, indices);
    const factored = replaceLoop(nest, outermost.name, (it) => ({
      kind: "seq",
      body: [
        mapBlocks(it, (each) => (each.name === block.name ? partial : each)),
        finalNest(nest, site, buffer, indices),
      ],
    }));
    return withBuffer(factored, buffer);
  },

  print: ({ loop }) => `rfactor ${loop}`,
});

// ── legality ────────────────────────────────────────────────────────────────────────────────────────────────────────

function whyNot(nest: LoopFunc, loop: string, reductions: readonly Block[]): Diagnostic | null {
  const no = (code: ReasonOf<"rfactor">, text: string, hint: string | null = null) =>
    illegal(`rfactor.${code}`, nest, [loop], text, hint);
  const [block, other] = reductions;
  if (!block) return no("no-reduction", `${loop} drives no reduction`, "choose a loop of a reduce axis");
  if (other) return no("several-reductions", `${loop} drives the reductions of ${block.name} and ${other.name}`);
  if (!block.init) {
    const hint = "factor a reduction first, give it accumulators or an initialisation of its own then";
    return no("no-init", `${block.name} is initialised elsewhere`, hint);
  }
  if (!isAssociative(block)) {
    return no("not-associative", `${block.name} is no sum, product, maximum or minimum, its parts do not combine`);
  }
  const site = siteOf(nest, loop);
  const user = blocksIn(site.outermost).find((it) => it.name !== block.name && uses(it, block.buffer));
  if (user) return no("shared", `${user.name} uses ${block.buffer} under ${site.outermost.name}`);
  return partialsOf(nest, site) ? null : no("not-affine", `${block.name} is not written at affine indices`);
}

const uses = (block: Block, buffer: string): boolean =>
  block.buffer === buffer || someExpr(block.value, (it) => isLoadOf(it, buffer));

// ── the parts ───────────────────────────────────────────────────────────────────────────────────────────────────────

interface ReductionSite {
  readonly block: Block;
  readonly loop: For;
  /** The outermost loop of the reduction. */
  readonly outermost: For;
  /** The outermost loop and the loops inside it, down to the block. */
  readonly inside: readonly For[];
}

function siteOf(nest: LoopFunc, name: string): ReductionSite {
  const { loop } = findLoop(nest, name)!;
  const block = blocksIn(loop).find((it) => reduceVars(it).has(name))!;
  const { around } = findBlock(nest, block.name)!;
  const reducing = reduceVars(block);
  const first = around.findIndex((it) => reducing.has(it.name));
  return { block, loop, outermost: around[first]!, inside: around.slice(first) };
}

interface Partials {
  readonly buffer: Buffer;
  /** Indices of the element that an instance updates, over the loops around it. */
  readonly indices: readonly Expr[];
}

/** A dimension for each of the result's that the loops inside move along, and one for the loop. Null: no box holds them. */
function partialsOf(nest: LoopFunc, { block, loop, inside }: ReductionSite): Partials | null {
  const written = block.indices.map((index) => bindAxes(block, index)).filter((index) => movesAlong(index, inside));
  const dims = written.map((index) => dimOf(index, inside));
  const known = dims.filter((dim) => dim !== null);
  if (known.length < dims.length) return null;
  const further = inside.slice(inside.indexOf(loop) + 1);
  const inner = known.findIndex(({ index }) => movesAlong(index, further));
  const all = known.toSpliced(inner < 0 ? known.length : inner, 0, {
    index: variable(loop.name),
    extent: loop.extent,
  });
  const { dtype } = bufferNamed(nest, block.buffer)!;
  const shape = all.map(({ extent }) => extent);
  const partialsName = freshName(`${block.name}.rf`, (name) => isNameTaken(nest, name));
  return {
    buffer: localBuffer({ name: partialsName, dtype, shape }),
    indices: all.map(({ index }) => index),
  };
}

const movesAlong = (index: Expr, loops: readonly For[]): boolean => {
  const names = varsIn(index);
  return loops.some(({ name }) => names.has(name));
};

/**
 * Range of an index over the loops inside: its distance from its smallest value, and the number of values. Null: the
 * range is not known.
 */
function dimOf(index: Expr, inside: readonly For[]): { readonly index: Expr; readonly extent: number } | null {
  const box = boundingBox([[index]], inside)?.[0];
  return box ? { index: fromStart(index, box, inside), extent: box.extent } : null;
}

const axisNamed = ({ axes }: Block, stem: string): string =>
  freshName(stem, (name) => axes.some((axis) => axis.name === name));

/** The block with an axis more, which tells its partial results apart. */
function partialBlock({ block, loop }: ReductionSite, buffer: Buffer, indices: readonly Expr[]): Block {
  const { value } = block;
  invariant(value.kind === "binary", "a reduction is an update");
  const axis: BlockAxis = { name: axisNamed(block, "rf"), extent: loop.extent, role: "spatial" };
  const spatial = block.axes.filter(({ role }) => role === "spatial").length;
  return updateBlock(block, {
    name: buffer.name,
    axes: block.axes.toSpliced(spatial, 0, axis),
    bindings: block.bindings.toSpliced(spatial, 0, variable(loop.name)),
    buffer: buffer.name,
    indices,
    value: updateBinary(value, { left: loadOf(buffer, indices) }),
  });
}

/** `.final`, after what the block's own name tells of the factorings before: `C.rf` gets other loops than `C`. */
const suffixOf = ({ name }: Block): string => `${/(\.rf\d*)*$/.exec(name)![0]}.final`.slice(1);

/** Loops over the elements and their partial results, around the block that it was. */
function finalNest(
  nest: LoopFunc,
  { block, loop, inside }: ReductionSite,
  partials: Buffer,
  at: readonly Expr[],
): Stmt {
  const suffix = suffixOf(block);
  const copy = copySpatialLoops(nest, block, inside, suffix);
  const last: For = updateFor(loop, { name: copyNames(nest, suffix)(loop), mark: "serial" });
  const axis: BlockAxis = { name: axisNamed(block, "rf"), extent: loop.extent, role: "reduce" };
  const names = new Map([[loop.name, variable(last.name)]]);
  const rename = (expr: Expr): Expr => substitute(copy.rename(expr), names);
  const { value, init } = block;
  invariant(value.kind === "binary", "a reduction is an update");
  const final = updateBlock(block, {
    axes: [...copy.axes, axis],
    bindings: [...copy.bindings, variable(last.name)],
    indices: block.indices.map(rename),
    init: init && rename(init),
    value: updateBinary(value, { left: rename(value.left), right: loadOf(partials, at.map(rename)) }),
  });
  return wrapLoops([...copy.loops, last], final);
}
