// Round the extents of a block's axes up, so that tiles divide them: TVM's pad_einsum. Operands that are read beyond their
// ends are copied into longer buffers, filled with what changes no result; of a longer result the part wanted is copied out.
//
//   for C.i in 0..61, C.k in 0..97                     A.pad[64, 104] = A, and 0 around it; B.pad[104, …] likewise
//     C[i] += A[i, k] * B[k]          →  [8, 8]        for C.i in 0..64, C.k in 0..104: C.pad[i] += A.pad[i, k] * B.pad[k]
//                                                      for C.crop.0 in 0..61: C[p0] = C.pad[p0]
//
// A reduce axis can be padded where the element added beyond its end is neutral: the reducer's identity read alone, or a
// product of zeros. A factor that does not run along the axis would make 0·∞ = NaN, so with floats there must be none.

import { castValue, reducerIdentity } from "../../expr/scalar-math.ts";
import { boundsOf } from "../../ir/bounds.ts";
import { localBuffer } from "../../ir/buffer.ts";
import { and, constInt, constOf, forLoop, loadOf, lt, select, seq, variable } from "../../ir/build.ts";
import type { Block, BlockAxis, Buffer, Expr, For, Load, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { rangesOf } from "../../ir/ranges.ts";

import { updateBlock, updateFor, updateLoad } from "../../ir/update.ts";
import { mapExpr, walkExpr } from "../../ir/visit.ts";
import { ceilDiv } from "../../support/integer-math.ts";
import { heldExtents } from "../held-extents.ts";
import { bufferNamed, findBlock, isNameTaken, replaceLoop, wrapLoops } from "../nest.ts";
import type { InstructionOf } from "../trace.ts";
import { isNaive } from "./compute-at.ts";
import { blockField, field, integerFrom, listOf } from "./field.ts";
import { illegal, noSuchBlock, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

type Args = InstructionOf<"pad">;

export const pad = definePrimitive({
  kind: "pad",
  fields: [blockField, field("multiples", listOf(integerFrom(1)))],
  role: "step",

  check(nest, { block: name, multiples }) {
    const place = findBlock(nest, name);
    if (!place) return noSuchBlock("pad.no-such-block", nest, name);
    const no = (code: ReasonOf<"pad">, text: string, loops: readonly string[] = [], hint: string | null = null) =>
      illegal(`pad.${code}`, nest, loops, text, hint);
    const { block } = place;
    if (!isNaive(nest, place)) return no("scheduled", `${name} has been scheduled already`, [], "pad first, tile then");
    if (multiples.length !== block.axes.length || multiples.some((it) => !Number.isInteger(it) || it < 1)) {
      return no("bad-multiples", `[${multiples.join(", ")}] are not ${block.axes.length} multiples, one for each axis`);
    }
    const axes = paddedAxes(block, multiples);
    if (axes.every(({ extent }, at) => extent === block.axes[at]!.extent)) {
      return no("nothing", `[${multiples.join(", ")}] divide all extents of ${name}`);
    }
    const names = [...operandsOf(nest, block, axes).map(({ pad }) => pad.name), `${block.buffer}.pad`];
    const twice = names.find((it) => isNameTaken(nest, it));
    if (twice) return no("twice", `there is a buffer ${twice} already`);
    const why = notNeutral(nest, block, axes);
    if (why) return no("not-neutral", why.text, [`${name}.${why.axis}`]);
    const beyond = leftOpen(nest, block, axes);
    return beyond ? no("not-affine", `${beyond} is read at indices without bounds`) : null;
  },

  apply(nest, { block: name, multiples }) {
    const { block, around } = findBlock(nest, name)!;
    const axes = paddedAxes(block, multiples);
    const operands = operandsOf(nest, block, axes);
    const target = bufferNamed(nest, block.buffer)!;
    const result = resultOf(target, axes);
    const isCopied = result.name !== target.name;
    const padded = redirect(updateBlock(block, { axes, buffer: result.name }), [
      ...operands,
      { buffer: target, pad: result },
    ]);
    const loops = around.map((loop, at): For => updateFor(loop, { extent: axes[at]!.extent }));
    const body: Stmt[] = [...operands.map(fillOf), wrapLoops(loops, padded)];
    if (isCopied) body.push(cropOf(block, target, result));
    const buffers = nest.buffers.map((buffer) => (buffer.name === result.name ? result : buffer));
    const added = [...operands.map(({ pad }) => pad), ...(isCopied ? [result] : [])];
    return { ...replaceLoop(nest, loops[0]!.name, () => ({ kind: "seq", body })), buffers: [...buffers, ...added] };
  },

  print: ({ block, multiples }) => `pad ${block} to multiples of [${multiples.join(", ")}]`,
});

const paddedAxes = ({ axes }: Block, multiples: Args["multiples"]): Block["axes"] =>
  axes.map((axis, at) => ({ ...axis, extent: ceilDiv(axis.extent, multiples[at]!) * multiples[at]! }));

// ── what is neutral ─────────────────────────────────────────────────────────────────────────────────────────────────

/** The element that a reduction takes in; of a map the whole value. */
const elementOf = ({ init, value }: Block): Expr => (init && value.kind === "binary" ? value.right : value);

/** Factors of a product, through casts; null: something else is in it. */
function factorsOf(expr: Expr): readonly Load[] | null {
  if (expr.kind === "load") return [expr];
  if (expr.kind === "cast") return factorsOf(expr.operand);
  if (expr.kind !== "binary" || expr.op !== "mul") return null;
  const [left, right] = [factorsOf(expr.left), factorsOf(expr.right)];
  return left && right && [...left, ...right];
}

/**
 * Value that the padding of an operand is filled with: the identity of the reduction if its element is this operand
 * alone, else 0. Null: there is no identity, or the operand's type does not hold it.
 */
function fillValue(block: Block, load: Load): number | null {
  if (!block.init || block.value.kind !== "binary" || factorsOf(elementOf(block))?.length !== 1) return 0;
  const reducers = { add: "sum", mul: "prod", max: "max", min: "min" } as const;
  const { op, dtype } = block.value;
  if ((op !== "add" && op !== "mul" && op !== "max" && op !== "min") || dtype === "bool" || dtype === "i64")
    return null;
  const identity = reducerIdentity[reducers[op]](dtype);
  if (load.dtype === "i64") return null;
  const held = castValue(identity, dtype, load.dtype);
  return castValue(held, load.dtype, dtype) === identity ? held : null;
}

interface Guilty {
  readonly axis: string;
  readonly text: string;
}

/** Says whether the operand ends where the axis does, so that reads beyond the axis read padding. */
function endsWith(nest: LoopFunc, { buffer, indices }: Load, { name, extent }: BlockAxis): boolean {
  const held = heldExtents(nest, bufferNamed(nest, buffer)!);
  return indices.some((index, dim) => index.kind === "var" && index.name === name && held[dim] === extent);
}

function notNeutral(nest: LoopFunc, block: Block, axes: Block["axes"]): Guilty | null {
  const grown = block.axes.filter(({ role, extent }, at) => role === "reduce" && axes[at]!.extent > extent);
  for (const axis of grown) {
    const { name } = axis;
    const no = (text: string) => ({ axis: name, text });
    const factors = factorsOf(elementOf(block));
    const isSum = block.value.kind === "binary" && block.value.op === "add";
    if (!factors || (factors.length > 1 && !isSum)) {
      return no(
        `${block.name} reduces neither an operand alone nor sums of products: nothing to fill it with is neutral`,
      );
    }
    const still = factors.find((load) => !endsWith(nest, load, axis));
    if (still) return no(`${still.buffer} is not read along ${name} alone and to its end: there it may hold anything`);
    const odd = factors.find((load) => fillValue(block, load) === null);
    if (odd) return no(`${odd.dtype} holds no value that changes no result of ${block.name}`);
  }
  return null;
}

// ── operands and result ─────────────────────────────────────────────────────────────────────────────────────────────

interface PaddedOperand {
  readonly buffer: Buffer;
  /** Extents of what it holds, which the copy takes over. */
  readonly held: readonly number[];
  readonly pad: Buffer;
  readonly fill: number;
}

const loadsIn = (block: Block): readonly Load[] => {
  const loads: Load[] = [];
  walkExpr(block.value, (node) => {
    if (node.kind === "load" && node.buffer !== block.buffer) loads.push(node);
  });
  return loads;
};

const reachOf = (load: Load, axes: Block["axes"]): readonly number[] =>
  load.indices.map((index) => boundsOf(index, rangesOf(axes)).max + 1);

/** An operand that is read at indices of which nothing is known. */
const leftOpen = (nest: LoopFunc, block: Block, axes: Block["axes"]): string | undefined =>
  loadsIn(block).find(
    (load) => bufferNamed(nest, load.buffer) && reachOf(load, axes).some((reach) => !Number.isFinite(reach)),
  )?.buffer;

/** The operands that are read beyond their ends, with the copies that are long enough. */
function operandsOf(nest: LoopFunc, block: Block, axes: Block["axes"]): readonly PaddedOperand[] {
  const loads = loadsIn(block);
  const names = [...new Set(loads.map(({ buffer }) => buffer))];
  return names.flatMap((name): PaddedOperand[] => {
    const buffer = bufferNamed(nest, name)!;
    const own = loads.filter((load) => load.buffer === name);
    const reaches = own.map((load) => reachOf(load, axes));
    const held = heldExtents(nest, buffer);
    const shape = held.map((size, dim) => Math.max(size, ...reaches.map((reach) => reach[dim]!)));
    if (shape.every((size, dim) => size === held[dim])) return [];
    const pad: Buffer = localBuffer({ ...buffer, name: `${name}.pad`, shape });
    return [{ buffer, held, pad, fill: fillValue(block, own[0]!) ?? 0 }];
  });
}

function resultOf(target: Buffer, axes: Block["axes"]): Buffer {
  const shape = axes.filter(({ role }) => role === "spatial").map(({ extent }) => extent);
  if (target.role !== "output") return { ...target, shape };
  if (shape.every((size, dim) => size === target.shape[dim])) return target;
  return localBuffer({ ...target, name: `${target.name}.pad`, shape });
}

/** Reads and updates of the buffers turned to their longer copies. */
function redirect(block: Block, copies: readonly Pick<PaddedOperand, "buffer" | "pad">[]): Block {
  const names = new Map(copies.map(({ buffer, pad }) => [buffer.name, pad.name]));
  const value = mapExpr(block.value, (node) =>
    node.kind === "load" ? updateLoad(node, { buffer: names.get(node.buffer) ?? node.buffer }) : node,
  );
  return updateBlock(block, { value });
}

// ── copies ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function copyNest(name: string, extents: readonly number[], of: (axes: readonly Expr[]) => Expr, to: string): Stmt {
  const axes = extents.map((extent, at) => ({ name: `p${at}`, extent, role: "spatial" as const }));
  const indices = axes.map((axis) => variable(axis.name));
  const loops = extents.map((extent, at) => forLoop(`${name}.${at}`, extent, seq()));
  const bindings = loops.map((loop) => variable(loop.name));
  return wrapLoops(loops, { kind: "block", name, axes, bindings, buffer: to, indices, init: null, value: of(indices) });
}

const fillOf = ({ buffer, held, pad, fill }: PaddedOperand): Stmt =>
  copyNest(
    pad.name,
    pad.shape,
    (at) => {
      const inside = at.flatMap((index, dim) =>
        pad.shape[dim]! > held[dim]! ? [lt(index, constInt(held[dim]!))] : [],
      );
      return select(inside.reduce(and), loadOf(buffer, at), constOf(buffer.dtype, fill));
    },
    pad.name,
  );

const cropOf = (block: Block, target: Buffer, result: Buffer): Stmt =>
  copyNest(`${block.name}.crop`, target.shape, (at) => loadOf(result, at), target.name);
