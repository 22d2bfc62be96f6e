// Refusal of a primitive: a Diagnostic with the loop nest, in which the guilty loops are marked.

import type { LoopFunc } from "../../ir/loop-ir.ts";
import { printStmt } from "../../ir/print.ts";
import type { DiagnosticCode } from "../../support/codes.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";

/**
 * The nest is printed only when `detail` is read: the search asks `check` thousands of times and reads none of it.
 * `loops` are marked in it.
 */
export function illegal(
  code: string,
  nest: LoopFunc,
  loops: readonly string[],
  message: string,
  hint: string | null = null,
): Diagnostic {
  return {
    // Primitives put them together of two parts; their tests hold them against the list.
    code: code as DiagnosticCode,
    message,
    loc: null,
    hint,
    get detail() {
      return printStmt(nest.body, { marked: loops });
    },
  };
}

export const noSuchLoop = (code: string, nest: LoopFunc, loop: string): Diagnostic =>
  illegal(
    code,
    nest,
    [],
    `there is no loop ${loop}`,
    "loops are named stage.axis, and loop.0, loop.1, … after a split",
  );

export const noSuchBlock = (code: string, nest: LoopFunc, block: string): Diagnostic =>
  illegal(code, nest, [], `there is no block ${block}`, "blocks are named after their stages");
