// An intrinsic that a user brings, as a plain object in the language of operator files → the compiler's.
//
//   compute("C", [8], (lane) => sum(A(lane, step) * B(lane, step), step))     meaning, in the user's words
//
//   for lane in 0..8                                                          meaning, as the compiler has it
//     for step in 0..4
//       C[lane] = C[lane] + A[lane*4 + step] * B[lane*4 + step]

import type { ComputeDef, Stage } from "../expr/compute-def.ts";
import { byteSize, isFloat } from "../expr/dtype.ts";
import { isOp, type Op } from "../expr/op.ts";
import { instantiate } from "../instance/instantiate.ts";
import { localBuffer } from "../ir/buffer.ts";
import { flatIndex, forLoop, loadOf, store } from "../ir/build.ts";
import { fromCompute } from "../ir/from-compute.ts";
import type { Intrinsic } from "../ir/intrinsic.ts";
import type { IntrinsicTexts } from "../ir/intrinsic-text.ts";
import type { Buffer, Expr, LoopFunc } from "../ir/loop-ir.ts";
import { perfectNest } from "../ir/perfect-nest.ts";
import { mapExpr } from "../ir/visit.ts";
import {
  aBoolean,
  type FieldKind,
  listOf,
  malformed,
  optionally,
  requireFields,
  textLike,
} from "../support/own-object.ts";
import { findIntrinsic } from "./intrinsics.ts";

/**
 * An instruction, or a few, that compute a reduction on vectors: dot products of groups, sums, maxima. The rules use it in
 * place of ours wherever an operator computes the same.
 *
 * @example
 * const step = reduceAxis("step", 2);
 * const own: OwnIntrinsic = {
 *   name: "mine.madd", features: ["avx2"],
 *   meaning: defineOp({}, () => {
 *     const [A, B] = [tensor("A", [8, 2], "i16"), tensor("B", [8, 2], "i16")];
 *     const step = reduceAxis("step", 2);
 *     return compute("C", [8], (lane) => sum(A(lane, step).cast("i32").mul(B(lane, step).cast("i32")), step));
 *   }),
 *   text: { c: "C + __builtin_ia32_pmaddwd256(A, B)" },
 * };
 */
export interface OwnIntrinsic {
  /** Name by which schedules refer to it: letters, digits, dots, dashes. None of ours has it. */
  readonly name: string;
  /** Features of the target that it needs, spelled like the compiler's `-m` options: `["avx2"]`; for WASM `["simd128"]`. */
  readonly features: readonly string[];
  /**
   * Operator of one compute, which is a reduction. The intrinsic adds what the operator computes to its result: operands are
   * whole vectors, the elements of the result and of each tensor in row-major order.
   */
  readonly meaning: Op;
  /** Whether it rounds as the loops of the meaning do; else it is for numerics "fast" only. Default: whether it sums integers. */
  readonly exact?: boolean;
  /**
   * Text for the code generator. `c`: an expression of the operands, GNU vectors named like the result and the tensors; one for
   * all compilers, or one for each. `preamble` stands before the function that the expression becomes. `wasm`: opcodes that
   * find the operands, one v128 each, on the stack, the result's first.
   */
  readonly text: { readonly c: string | OwnCText } | { readonly wasm: readonly string[] };
}

export interface OwnCText {
  readonly gcc: string;
  readonly clang: string;
  readonly preamble?: string;
}

const aTextOf = (characters: number): FieldKind => textLike(new RegExp(`^[^]{1,${characters}}$`), "text");

const anOperator: FieldKind = { accepts: isOp, wanted: "an operator, as defineOp makes it," };
const aText: FieldKind = {
  accepts: (value) => typeof value === "object" && value !== null && "c" in value !== "wasm" in value,
  wanted: "{ c } or { wasm }",
};

/**
 * Checks a user's intrinsics, and makes the compiler's of them.
 *
 * @param isOpcode says whether WASM has an opcode of a name
 * @throws DiagnosticError `extension.malformed`, which names the field
 */
export function ownIntrinsics(
  intrinsics: readonly OwnIntrinsic[],
  isOpcode: (name: string) => boolean,
): readonly Intrinsic[] {
  if (!Array.isArray(intrinsics)) throw malformed("intrinsics is no list");
  const made = intrinsics.map((own, at) => ownIntrinsic(`intrinsics[${at}]`, own, isOpcode));
  const names = made.map(({ meaning }) => meaning.name);
  const twice = made.find((_, at) => names.indexOf(names[at]!) < at);
  if (twice)
    throw malformed(`intrinsics has two of the name ${twice.name}`, "names are told apart by letters and digits");
  return made;
}

function ownIntrinsic(what: string, own: OwnIntrinsic, isOpcode: (name: string) => boolean): Intrinsic {
  requireFields<OwnIntrinsic>(
    what,
    own,
    {
      name: textLike(/^[A-Za-z][\w.-]{0,79}$/, "a name of letters, digits, dots and dashes"),
      features: listOf(textLike(/^[a-z0-9][a-z0-9._-]{0,39}$/, "a feature such as avx2")),
      meaning: anOperator,
      exact: optionally(aBoolean),
      text: aText,
    },
    "refused",
  );
  const { name, features } = own;
  if (findIntrinsic(name)) throw malformed(`${what}.name is ${name}, which is one of ours`, "name it otherwise");
  const def = instantiate(own.meaning, {}, `own_${name.replaceAll(/\W/g, "_")}`);
  const meaning = meaningOf(`${what}.meaning`, def);
  const text = textOf(`${what}.text`, own.text, isOpcode);
  requireVectors(what, meaning, text);
  const { exact = !isFloat(meaning.buffers[0]!.dtype) } = own;
  return { name, features, meaning, exact, operands: "vectors", text };
}

/** @throws DiagnosticError `extension.malformed` where the operator is more, or something else, than one reduction */
function meaningOf(what: string, def: ComputeDef): LoopFunc {
  const [stage] = def.stages;
  if (!stage?.reduce || def.stages.length > 1)
    throw malformed(
      `${what} is no single reduction`,
      "return one compute whose expression is sum(…), or another reducer",
    );
  const nest = perfectNest(fromCompute(def).body);
  if (nest?.leaf.kind !== "block") throw malformed(`${what} is no nest of loops around one reduction`);
  const { axes, indices, value, buffer } = nest.leaf;
  const flat = new Map(buffersOf(def, stage).map((it) => [it.buffer.name, it]));
  const flattened = (expr: Expr): Expr =>
    expr.kind === "load"
      ? loadOf(flat.get(expr.buffer)!.buffer, [flatIndex(flat.get(expr.buffer)!.shape, expr.indices)])
      : expr;
  const result = flat.get(buffer)!;
  const update = store(result.buffer, [flatIndex(result.shape, indices)], mapExpr(value, flattened));
  return {
    name: def.name,
    buffers: [...flat.values()].map((it) => it.buffer),
    body: axes.reduceRight((body, { name, extent }) => forLoop(name, extent, body), update as LoopFunc["body"]),
  };
}

interface FlatBuffer {
  readonly buffer: Buffer;
  /** Shape before it was made flat. */
  readonly shape: readonly number[];
}

/** Returns the operands: the result, then the tensors. */
function buffersOf({ inputs }: ComputeDef, { name, dtype, axes }: Stage): readonly FlatBuffer[] {
  const result = { name, dtype, shape: axes.map(({ extent }) => extent) };
  return [result, ...inputs].map(({ shape, ...own }): FlatBuffer => {
    const elements = shape.reduce((product, extent) => product * extent, 1);
    return { buffer: localBuffer({ name: own.name, dtype: own.dtype, shape: [elements] }), shape };
  });
}

function textOf(what: string, text: OwnIntrinsic["text"], isOpcode: (name: string) => boolean): IntrinsicTexts {
  if ("wasm" in text) {
    requireFields<{ readonly wasm: readonly string[] }>(
      what,
      text,
      { wasm: listOf({ accepts: (op) => typeof op === "string" && isOpcode(op), wanted: "an opcode that we emit" }) },
      "refused",
    );
    return { wasm: { ops: text.wasm } };
  }
  const c = typeof text.c === "string" ? { gcc: text.c, clang: text.c } : text.c;
  const anExpression = aTextOf(10_000);
  requireFields<OwnCText>(
    `${what}.c`,
    c,
    { gcc: anExpression, clang: anExpression, preamble: optionally(anExpression) },
    "refused",
  );
  return { c: { kind: "vectors", ...c } };
}

/** Bytes of WASM's vectors, and the most of a C vector. */
const v128 = 16;
const longest = 256;

/** Checks that operands are vectors that the code generator has. */
function requireVectors(what: string, { buffers }: LoopFunc, { wasm }: IntrinsicTexts): void {
  for (const { name, dtype, shape } of buffers) {
    const bytes = shape[0]! * (dtype === "bool" ? 0 : byteSize[dtype]);
    const isVector = wasm ? bytes === v128 : bytes >= 4 && bytes <= longest && Number.isInteger(Math.log2(bytes));
    const wanted = wasm ? `${v128} bytes` : `a power of two of bytes, from 4 to ${longest},`;
    if (!isVector) throw malformed(`${what}.meaning has ${name} of ${bytes} bytes, ${wanted} is wanted`);
  }
}
