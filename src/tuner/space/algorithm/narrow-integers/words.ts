// Integer expressions → the same values in 16 bits. A word is an i16 that equals the value modulo 2^16: sums, differences and products of
// words are words again, whatever they are in between. An operator that asks for more than the low bits, as a minimum does, takes words
// that are the value itself.
//
//   u8((i32(a) · 77 + i32(b) · 179) div 256), a and b bytes     →     u8((i16(a) · 77 + i16(b) · 179) div 256)

import {
  type BinaryOp,
  binaryOf,
  castOf,
  comparisonOps,
  foldScalar,
  type Interval,
  integerRange,
  operandsOfScalar,
  type ScalarExpr,
  selectOf,
  withOperands,
} from "../../../../compiler/index.ts";

/** Facts about the place of an expression. */
export interface WordSite {
  /** Interval of the values of an integer expression of the operator as it was. */
  readonly valuesOf: (expr: ScalarExpr) => Interval;
  /** Stages whose elements are i16 from now on. */
  readonly narrowed: ReadonlySet<string>;
}

interface Narrow {
  /** The expression, of its own type, with words inside where something of at most 16 bits is made of them. */
  readonly expr: ScalarExpr;
  /** The word of an i32, or the condition of a bool about words; null: there is none. */
  readonly word: ScalarExpr | null;
}

type Of = (operand: ScalarExpr) => Narrow;
type Node<Kind extends ScalarExpr["kind"]> = Extract<ScalarExpr, { kind: Kind }>;

/** Returns the expression as an i16 with its value; null where words do not suffice for it. */
export function asWord(expr: ScalarExpr, site: WordSite): ScalarExpr | null {
  return expr.dtype === "i32" && isWord(expr, site) ? narrow(expr, site).word : null;
}

/** Returns the expression with words inside. */
export const withWords = (expr: ScalarExpr, site: WordSite): ScalarExpr => narrow(expr, site).expr;

const narrow = (expr: ScalarExpr, site: WordSite): Narrow =>
  foldScalar<Narrow>(expr, (node, narrowed) => {
    // Asked for once each: below a chain of sums they would be worked out 2^n times.
    const operands = new Map(operandsOfScalar(node).map((operand) => [operand, narrowed(operand)]));
    const of: Of = (operand) => operands.get(operand)!;
    switch (node.kind) {
      case "const":
        return { expr: node, word: node.dtype === "i32" ? constant(node.value) : null };
      case "axis":
        return { expr: node, word: null };
      case "read":
        return narrowRead(node, of, site);
      case "unary":
        return { expr: narrowOperands(node, of), word: unaryWord(node, of, site) };
      case "binary":
        return { expr: narrowOperands(node, of), word: binaryWord(node, of, site) };
      case "select":
        return narrowSelect(node, of);
      case "cast":
        return narrowCast(node, of);
    }
  });

const narrowOperands = (node: ScalarExpr, of: Of): ScalarExpr => withOperands(node, (operand) => of(operand).expr);

// ── values ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const [least, most] = integerRange.i16;
const words = 2 ** 16;

/** Says whether a word of the expression is its value. */
function isWord(expr: ScalarExpr, { valuesOf }: WordSite): boolean {
  const { min, max } = valuesOf(expr);
  return min >= least && max <= most;
}

/** Says whether the value has no sign and is below the limit. */
function isBelow(limit: number, expr: ScalarExpr, { valuesOf }: WordSite): boolean {
  const { min, max } = valuesOf(expr);
  return min >= 0 && max < limit;
}

const constant = (value: number): ScalarExpr | null =>
  value >= least && value < words
    ? { kind: "const", value: value > most ? value - words : value, dtype: "i16", loc: null }
    : null;

// ── nodes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function narrowRead(node: Node<"read">, of: Of, { narrowed }: WordSite): Narrow {
  const expr = narrowOperands(node, of);
  if (!narrowed.has(node.tensor)) return { expr, word: null };
  const word: ScalarExpr = { ...expr, dtype: "i16" };
  return { expr: castOf("i32", word), word };
}

function narrowCast(node: Node<"cast">, of: Of): Narrow {
  const [{ dtype }, from] = [node, node.operand.dtype];
  const operand = of(node.operand);
  const isShort = dtype === "u8" || dtype === "i8" || dtype === "i16";
  if (isShort && from === "i32" && operand.word)
    return { expr: dtype === "i16" ? operand.word : castOf(dtype, withoutHighBits(operand.word)), word: null };
  const expr = narrowOperands(node, of);
  if (dtype !== "i32") return { expr, word: null };
  if (from === "i16") return { expr, word: operand.expr };
  if (from === "bool") return { expr, word: castOf("i16", operand.word ?? operand.expr) };
  return { expr, word: from === "u8" || from === "i8" ? castOf("i16", operand.expr) : null };
}

/** The word of a value whose low eight bits are asked for alone: what leaves them as they are is left out. */
function withoutHighBits(word: ScalarExpr): ScalarExpr {
  const isMasked = word.kind === "binary" && word.op === "mod" && word.right.kind === "const";
  return isMasked && word.right.value % 256 === 0 ? word.left : word;
}

/** Turns a choice. One of at most 16 bits asks about words even where it has none itself. */
function narrowSelect(node: Node<"select">, of: Of): Narrow {
  const [condition, then, otherwise] = [of(node.condition), of(node.then), of(node.else)];
  const asked = condition.word ?? condition.expr;
  const isShort = node.dtype === "u8" || node.dtype === "i8" || node.dtype === "i16";
  const expr = selectOf(isShort ? asked : condition.expr, then.expr, otherwise.expr);
  const hasWords = node.dtype === "i32" || node.dtype === "bool";
  return { expr, word: hasWords && then.word && otherwise.word ? selectOf(asked, then.word, otherwise.word) : null };
}

function unaryWord(node: Node<"unary">, of: Of, site: WordSite): ScalarExpr | null {
  const { word } = of(node.operand);
  if (!word || (node.dtype !== "i32" && node.op !== "not")) return null;
  const isTaken = node.op !== "abs" || (isWord(node.operand, site) && isWord(node, site));
  return isTaken ? { ...node, operand: word, dtype: word.dtype } : null;
}

function binaryWord(node: Node<"binary">, of: Of, site: WordSite): ScalarExpr | null {
  const [left, right] = [of(node.left).word, of(node.right).word];
  if (!left || !right) return null;
  const areWords = isWord(node.left, site) && isWord(node.right, site);
  switch (node.op) {
    case "add":
    case "sub":
    case "mul":
    case "and":
    case "or":
      return binaryOf(node.op, left, right);
    case "min":
    case "max":
      return areWords ? binaryOf(node.op, left, right) : null;
    case "floorDiv":
    case "mod":
      return dividedWord(node, left, site);
    default:
      return isComparison(node.op) && node.left.dtype === "i32" && areWords ? binaryOf(node.op, left, right) : null;
  }
}

const isComparison = (op: BinaryOp): boolean => (comparisonOps as readonly string[]).includes(op);

/** A quotient or rest by a positive constant. Those by powers of two are some of the bits. */
function dividedWord({ op, left, right }: Node<"binary">, word: ScalarExpr, site: WordSite): ScalarExpr | null {
  if (right.kind !== "const" || right.value < 1 || right.value > most) return null;
  const divisor = right.value;
  if (isWord(left, site)) return binaryOf(op, word, i16Of(divisor));
  const isPower = Number.isInteger(Math.log2(divisor));
  if (op === "mod") return isPower ? binaryOf("mod", word, i16Of(divisor)) : null;
  if (isPower) return divisor > 2 && isBelow(words, left, site) ? naturalShifted(word, divisor) : null;
  return divisor === 255 && isBelow(255 * 256, left, site) ? dividedBy255(word) : null;
}

const i16Of = (value: number): ScalarExpr => ({ kind: "const", value, dtype: "i16", loc: null });

/** The quotient of a word that is never negative by 4, 8, …: that of an i16 has a sign. */
const naturalShifted = (word: ScalarExpr, power: number): ScalarExpr =>
  binaryOf("mod", binaryOf("floorDiv", word, i16Of(power)), i16Of(words / power));

/** x div 255 = (x + 1 + x div 256) div 256 of a word x from 0 to below 255 · 256, as a mix of two bytes is. */
const dividedBy255 = (word: ScalarExpr): ScalarExpr =>
  naturalShifted(binaryOf("add", binaryOf("add", word, i16Of(1)), naturalShifted(word, 256)), 256);
