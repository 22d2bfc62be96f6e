// Finds the user's code where JavaScript wants an expression as a number or as text: the operator, or the function of
// Math, and what the language has in its place. Text before and after the place that is running → both.

import { type DType, isFloat } from "./dtype.ts";

export interface JsUse {
  /** Beginning of a message, to which what it is used on is added: "JavaScript's + is used on". */
  readonly message: string;
  readonly hint: string;
}

type Hint = (dtype: DType) => string;

const method =
  (name: string): Hint =>
  () =>
    `write x.${name}(y), or ${name}(x, y)`;

const comparison =
  (name: string): Hint =>
  () =>
    `write x.${name}(y), and choose with select(x.${name}(y), a, b)`;

const bits: Hint = () =>
  "the language has no bits: conditions have and, or and not, integers have mul, floorDiv and mod";

/** Operators of two operands. */
const binaryHints: Readonly<Record<string, Hint>> = {
  "+": method("add"),
  "-": method("sub"),
  "*": method("mul"),
  "/": (dtype) => method(isFloat(dtype) ? "div" : "floorDiv")(dtype),
  "%": (dtype) => (isFloat(dtype) ? "mod is for integers: write x.sub(x.div(y).floor().mul(y))" : method("mod")(dtype)),
  "**": (dtype) => (isFloat(dtype) ? method("pow")(dtype) : 'write x.mul(x), or x.cast("f32").pow(y)'),
  "<": comparison("lt"),
  "<=": comparison("le"),
  ">": comparison("gt"),
  ">=": comparison("ge"),
  "==": comparison("eq"),
  "!=": comparison("ne"),
  "===": comparison("eq"),
  "!==": comparison("ne"),
  "&": bits,
  "|": bits,
  "^": bits,
  "<<": bits,
  ">>": bits,
  ">>>": bits,
};

/** Operators that stand before their operand. */
const unaryHints: Readonly<Record<string, Hint>> = {
  "-": () => "write x.neg()",
  "+": () => "leave it out: an expression is no text that could become a number",
  "~": bits,
  "++": () => "write x = x.add(1)",
  "--": () => "write x = x.sub(1)",
};

/** Functions of Math that the language has: the first of the name, the others with a hint of their own. */
const ofMath: Readonly<Record<string, string>> = {
  abs: "x.abs()",
  ceil: "x.ceil()",
  exp: "x.exp()",
  floor: "x.floor()",
  log: "x.log()",
  max: "x.max(y)",
  min: "x.min(y)",
  pow: "x.pow(y)",
  round: "x.round()",
  sign: "select(x.gt(0), 1, select(x.lt(0), -1, x))",
  sqrt: "x.sqrt()",
  tanh: "x.tanh()",
  trunc: 'x.cast("i32"), or select(x.lt(0), x.ceil(), x.floor())',
};

const signAfter = /^(\*\*|[=!]==?|<<|>>>?|[<>]=?|[-+*/%&|^~])/;
const assignment = /(\*\*|<<|>>>?|[-+*/%&|^])=\s*$/;
const operandBefore = /(?:[\w$)\]]|\+\+|--)\s*$/;
const keywordBefore = /\b(?:return|typeof|case|yield|await|in|of|void)\s*$/;

/** The test of a loop, where the number of iterations is meant. */
const inLoop = /\bfor\s*\([^;]*;[^;]*$/;
const loopHint: Hint = () =>
  "a loop of JavaScript runs to a number, such as a parameter or k.extent; over an axis, sum(x, k) and its like run";

/** Use that stands at a place; null: none that is known. */
export function useAt(before: string, after: string, dtype: DType): JsUse | null {
  const math = /\bMath\.$/.test(before) ? /^\w+/.exec(after)?.[0] : undefined;
  if (math !== undefined) return mathUse(math);
  if (after.startsWith("[")) return propertyUse;
  const step = /^[\w$.]*\s*(\+\+|--)/.exec(after)?.[1];
  if (step !== undefined) return operatorUse(step, unaryHints[step]!, dtype);
  const sign = signAfter.exec(after)?.[1] ?? assignment.exec(before)?.[1];
  if (sign === undefined) return null;
  const isBinary = !signAfter.test(after) || (operandBefore.test(before) && !keywordBefore.test(before));
  const hint = inLoop.test(before) ? loopHint : (isBinary ? binaryHints : unaryHints)[sign];
  return hint ? operatorUse(sign, hint, dtype) : null;
}

/** Use of an operator that compares without asking for a value, or of a condition: found where the file is loaded. */
export function conditionUse(sign: string, dtype: DType): JsUse {
  const hint = binaryHints[sign] ?? logicalHints[sign];
  if (hint) return operatorUse(sign, hint, dtype);
  const way = sign === "switch" ? "choose with select(x.eq(0), a, b)" : choice(dtype);
  return {
    message: `JavaScript's ${sign} depends on`,
    hint: `it has no value before the kernel runs: ${way}`,
  };
}

const choice: Hint = (dtype) => `choose with select(${dtype === "bool" ? "x" : "x.ne(0)"}, a, b)`;

const logical =
  (name: string): Hint =>
  (dtype) =>
    dtype === "bool" ? `write x.${name}(y), or ${name}(x, y)` : `compare first: x.ne(0).${name}(y.ne(0))`;

const logicalHints: Readonly<Record<string, Hint>> = {
  "&&": logical("and"),
  "||": logical("or"),
  "!": (dtype) => (dtype === "bool" ? "write x.not(), or not(x)" : "write x.eq(0)"),
  "?:": choice,
};

const operatorUse = (sign: string, hint: Hint, dtype: DType): JsUse => ({
  message: `JavaScript's ${sign} is used on`,
  hint: hint(dtype),
});

const mathUse = (name: string): JsUse => ({
  message: `Math.${name} is used on`,
  hint: ofMath[name] === undefined ? `the language has no ${name}` : `write ${ofMath[name]}`,
});

const propertyUse: JsUse = {
  message: "[…] of JavaScript is given",
  hint: "elements of a tensor are read with parentheses: A(i)",
};

/** Use of which only is known what JavaScript wants. */
export const useAs = (wanted: string): JsUse =>
  wanted === "string"
    ? {
        message: "JavaScript makes text of",
        hint: "it has no value before the kernel runs; console.log(x) shows what it computes",
      }
    : {
        message: "JavaScript makes a number of",
        hint: "it has no value before the kernel runs; its operators are methods: x.add(y), x.mul(y), x.gt(y)",
      };
