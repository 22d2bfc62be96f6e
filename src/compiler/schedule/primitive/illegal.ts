// Refusal of a primitive: a Diagnostic with the loop nest, in which the guilty loops are marked.

import type { LoopFunc } from "../../ir/loop-ir.ts";
import { printStmt } from "../../ir/print.ts";
import type { DiagnosticCode } from "../../support/codes.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";

/** The second parts of the codes of a primitive: "no-such-loop" of `split.no-such-loop`. */
export type ReasonOf<K extends string> = DiagnosticCode extends infer Code
  ? Code extends `${K}.${infer Reason}`
    ? Reason
    : never
  : never;

/**
 * The nest is printed only when `detail` is read: the search asks `check` thousands of times and reads none of it.
 * `loops` are marked in it.
 */
export function illegal(
  code: DiagnosticCode,
  nest: LoopFunc,
  loops: readonly string[],
  message: string,
  hint: string | null = null,
): Diagnostic {
  return {
    code,
    message,
    loc: null,
    hint,
    get detail() {
      return printStmt(nest.body, { marked: loops });
    },
  };
}

export const noSuchLoop = (code: DiagnosticCode, nest: LoopFunc, loop: string): Diagnostic =>
  illegal(
    code,
    nest,
    [],
    `there is no loop ${loop}`,
    "loops are named stage.axis, and loop.0, loop.1, … after a split",
  );

export const noSuchBlock = (code: DiagnosticCode, nest: LoopFunc, block: string): Diagnostic =>
  illegal(code, nest, [], `there is no block ${block}`, "blocks are named after their stages");
