// Helper functions for the float operations that are instructions (sqrt, floor, ceil, round, abs) and for integer
// division. exp, log and friends never come here: they are expanded in the loop IR.

import { cName, type Element, elementBytes, maskElement } from "./element.ts";
import type { Prelude } from "./prelude.ts";
import {
  extremum,
  type GuardedExpression,
  inline,
  instructionOfSize,
  neon,
  neonLanes,
  perLane,
  perLane2,
  vectorFunction,
} from "./vector-function.ts";

export type RoundingOp = "sqrt" | "floor" | "ceil" | "round";

/** The name in C, the immediate of roundps and rndscaleps (bit 3: no exceptions), and the instruction of ARM. */
const spelling: Readonly<Record<RoundingOp, { readonly c: string; readonly mode: number; readonly arm: string }>> = {
  sqrt: { c: "sqrt", mode: 0, arm: "fsqrt" },
  floor: { c: "floor", mode: 9, arm: "frintm" },
  ceil: { c: "ceil", mode: 10, arm: "frintp" },
  round: { c: "rint", mode: 8, arm: "frintn" },
};

/** The scalar function of C: `__builtin_sqrtf`. rint is half to even in the default rounding mode, which we never leave. */
export const scalarRounding = (op: RoundingOp, element: Element): string =>
  `__builtin_${spelling[op].c}${element === "f32" ? "f" : ""}`;

/** `name(a)` on a float piece. */
export function rounding(prelude: Prelude, op: RoundingOp, element: Element, lanes: number): string {
  if (lanes === 1) return scalarRounding(op, element);
  const name = `uk_${op}_${element}x${lanes}`;
  const instruction = roundingInstruction(prelude, op, element, lanes);
  const lanewise = perLane(prelude, `${name}_lanewise`, scalarRounding(op, element), element, element, lanes);
  if (!instruction) return lanewise;
  const type = prelude.type(element, lanes);
  return prelude.define(name, () => vectorFunction(`${type} ${name}(${type} a)`, instruction, `${lanewise}(a)`));
}

/** clang has other builtins, and finds the instruction in the lanes by itself. */
function roundingInstruction(
  prelude: Prelude,
  op: RoundingOp,
  element: Element,
  lanes: number,
): GuardedExpression | null {
  const suffix = element === "f32" ? "ps" : "pd";
  const { mode, arm } = spelling[op];
  const short = op === "sqrt" ? `sqrt${suffix}` : `round${suffix}`;
  const immediate = op === "sqrt" ? "" : `, ${mode}`;
  const wide = op === "sqrt" ? `sqrt${suffix}512_mask(a, a, -1, 4)` : `rndscale${suffix}_mask(a, ${mode}, a, -1, 4)`;
  const x86 = {
    16: { when: "defined(__SSE4_1__) && !defined(__clang__)", text: `__builtin_ia32_${short}(a${immediate})` },
    32: { when: "defined(__AVX__) && !defined(__clang__)", text: `__builtin_ia32_${short}256(a${immediate})` },
    64: { when: "defined(__AVX512F__) && !defined(__clang__)", text: `__builtin_ia32_${wide}` },
  };
  const [type, at] = [prelude.type(element, lanes), neonLanes(element)];
  const bytes = elementBytes[element] * lanes;
  return instructionOfSize(prelude, bytes, x86, () => neon(type, `${arm} %0.${at}, %1.${at}`, "a"));
}

/** `name(a)`: |a|, for floats by clearing the sign bit, for integers wrapping (|-128| is -128 in i8). */
export function absolute(prelude: Prelude, element: Element, lanes: number): string {
  if (lanes === 1 && element === "f32") return "__builtin_fabsf";
  if (lanes === 1 && element === "f64") return "__builtin_fabs";
  const name = `uk_abs_${element}${lanes === 1 ? "" : `x${lanes}`}`;
  const type = prelude.type(element, lanes);
  return prelude.define(name, () => {
    const body = lanes === 1 ? `(${type})(a < 0 ? -a : a)` : vectorAbsolute(prelude, element, lanes);
    return `${inline} ${type} ${name}(${type} a) { return ${body}; }`;
  });
}

function vectorAbsolute(prelude: Prelude, element: Element, lanes: number): string {
  const type = prelude.type(element, lanes);
  const mask = prelude.type(maskElement(element), lanes);
  if (element === "f32") return `(${type})((${mask})a & 0x7fffffff)`;
  if (element === "f64") return `(${type})((${mask})a & 0x7fffffffffffffffLL)`;
  return element === "u8" ? "a" : `${extremum(prelude, "max", element, lanes)}(a, -a)`;
}

/**
 * `name(a, b)`: integer division or remainder, rounding towards minus infinity. Division by 0 gives 0 and never traps,
 * and neither does the smallest integer by -1, which wraps.
 */
export function floorDivision(prelude: Prelude, op: "floorDiv" | "mod", element: Element, lanes: number): string {
  const scalar = `uk_${op}_${element}`;
  const type = cName[element];
  prelude.define(scalar, () => {
    const wraps = op === "mod" ? "return 0;" : "return -a;";
    const lines = [
      "if (b == 0) return 0;",
      ...(element === "i32" || element === "i64" ? [`if (b == -1) ${wraps}`] : []),
      `${type} r = (${type})(a % b);`,
      op === "mod"
        ? `return (${type})(r != 0 && (r < 0) != (b < 0) ? r + b : r);`
        : `return (${type})(a / b - (r != 0 && (r < 0) != (b < 0)));`,
    ];
    return `${inline} ${type} ${scalar}(${type} a, ${type} b) {\n  ${lines.join("\n  ")}\n}`;
  });
  return lanes === 1 ? scalar : perLane2(prelude, `${scalar}x${lanes}`, scalar, element, lanes);
}
