// Loop-IR expression → text: infix with as few parentheses as the precedences of C allow, functions by name. Constants
// of i32 and f32 are bare (0, 0.0); those of other types carry it (0.5f64, 3i8).

import { isFloat } from "../expr/dtype.ts";
import { invariant } from "../support/invariant.ts";
import { namedNodes } from "../support/shared-nodes.ts";
import { foldExpr, isLargeExpr } from "./graph.ts";
import type { Const, Expr, IrBinaryOp, Unary } from "./loop-ir.ts";
import { operandsOf } from "./operands.ts";

interface Infix {
  readonly text: string;
  /** Precedence; a higher one binds tighter. */
  readonly level: number;
}

const infix: Partial<Record<IrBinaryOp, Infix>> = {
  mul: { text: "*", level: 9 },
  div: { text: "/", level: 9 },
  floorDiv: { text: "//", level: 9 },
  mod: { text: "%", level: 9 },
  add: { text: "+", level: 8 },
  sub: { text: "-", level: 8 },
  shl: { text: "<<", level: 7 },
  shr: { text: ">>", level: 7 },
  bitAnd: { text: "&", level: 6 },
  bitXor: { text: "^", level: 5 },
  bitOr: { text: "|", level: 4 },
  eq: { text: "==", level: 3 },
  ne: { text: "!=", level: 3 },
  lt: { text: "<", level: 3 },
  le: { text: "<=", level: 3 },
  gt: { text: ">", level: 3 },
  ge: { text: ">=", level: 3 },
  and: { text: "&&", level: 2 },
  or: { text: "||", level: 1 },
};

const prefixLevel = 10;

/**
 * Text of an expression. In a large one, what is used several times is written once, under a name:
 *
 *     let %0 = (x[i] + a[i] / x[i]) * 0.5; %1 = (%0 + a[i] / %0) * 0.5 in %1 + 1.0
 */
export function printExpr(expr: Expr): string {
  if (!isLargeExpr(expr)) return foldExpr(expr, printNode).text;
  const names = new Map(namedNodes(expr, operandsOf).map((node, at) => [node, `%${at}`]));
  const values: string[] = [];
  const { text } = foldExpr<Printed>(expr, (node, of) => {
    const printed = printNode(node, of);
    const name = names.get(node);
    if (name === undefined) return printed;
    values.push(`${name} = ${printed.text}`);
    return word(name);
  });
  return values.length === 0 ? text : `let ${values.join("; ")} in ${text}`;
}

/** A text, and how tightly it binds: in parentheses where its surroundings bind tighter. */
interface Printed {
  readonly text: string;
  readonly level: number;
}

type PrintedOf = (operand: Expr) => Printed;

const word = (text: string): Printed => ({ text, level: Number.POSITIVE_INFINITY });

const within = ({ text, level }: Printed, wanted: number): string => (level < wanted ? `(${text})` : text);

function printNode(expr: Expr, of: PrintedOf): Printed {
  const text = (operand: Expr): string => of(operand).text;
  const call = (name: string, args: readonly Expr[]): Printed => word(`${name}(${args.map(text).join(", ")})`);
  switch (expr.kind) {
    case "const":
      return word(printConst(expr));
    case "var":
    case "local":
      return word(expr.name);
    case "load": {
      const active = expr.active ? `; ${text(expr.active)} lanes` : "";
      return word(`${expr.buffer}[${expr.indices.map(text).join(", ")}${active}]`);
    }
    case "unary":
      return isSign(expr.op) ? prefix(expr, of) : call(expr.op, [expr.operand]);
    case "binary": {
      const found = infix[expr.op];
      if (!found) return call(expr.op, [expr.left, expr.right]);
      const [left, right] = [within(of(expr.left), found.level), within(of(expr.right), found.level + 1)];
      return { text: `${left} ${found.text} ${right}`, level: found.level };
    }
    case "select":
      return call("select", [expr.condition, expr.then, expr.else]);
    case "cast":
      return call(expr.dtype, [expr.operand]);
    case "bitcast":
      return call(`bits.${expr.dtype}`, [expr.operand]);
    case "shuffle":
      return word(`shuffle(${text(expr.operand)}, ${expr.mask})`);
    case "ramp":
      return word(`ramp(${text(expr.base)}, ${expr.stride}, ${expr.lanes})`);
    case "broadcast":
      return word(`broadcast(${text(expr.value)}, ${expr.lanes})`);
    case "lanes":
      return call("lanes", expr.elements);
    case "interleave":
      return call("interleave", expr.parts);
    case "pick":
      return word(`pick(${expr.parts.map(text).join(", ")}; ${expr.picks.join(" ")})`);
    case "fold":
      return call(`fold.${expr.op}`, [expr.operand]);
    case "intrinsic":
      return call(expr.name, expr.operands);
  }
}

const isSign = (op: Unary["op"]): boolean => op === "neg" || op === "not";

/** Text of a prefix operator: a minus before a number would read as a negative constant. */
function prefix({ op, operand }: Unary, of: PrintedOf): Printed {
  const text = operand.kind === "const" ? `(${of(operand).text})` : within(of(operand), prefixLevel);
  return word(op === "neg" ? `-${text}` : `!${text}`);
}

function printConst({ dtype, value }: Const): string {
  if (dtype === "bool") return value === 0 ? "false" : "true";
  if (dtype === "i32") return String(value);
  if (dtype === "i64" || !isFloat(dtype)) return `${value}${dtype}`;
  const suffix = dtype === "f32" ? "" : dtype;
  return `${printFloat(value)}${suffix}`;
}

function printFloat(value: number): string {
  invariant(typeof value === "number", "a constant holds a number");
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
