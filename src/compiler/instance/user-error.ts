// An exception of the user's code → a diagnostic at the line that threw.

import * as authoring from "../expr/authoring.ts";
import { describe } from "../expr/describe.ts";
import { expressionMethods } from "../expr/expr-handle.ts";
import * as opLibrary from "../ops/index.ts";
import { locate, parseStack, type SourceMapper } from "../support/call-site.ts";
import { codeFrame } from "../support/code-frame.ts";
import { DiagnosticError } from "../support/diagnostic.ts";
import { InvariantError } from "../support/invariant.ts";
import type { SourceLoc } from "../support/source-loc.ts";
import { type ExplainedError, explainError, type LanguageNames } from "./explain-error.ts";

/**
 * Runs code of the user's. What it throws becomes `op.threw`; diagnostics pass through, and so does an error that our own
 * code threw underneath it: that is a bug of ours and must keep its stack.
 *
 * @param top where to point if what was thrown has no stack
 */
export function runUserCode<T>(mapper: SourceMapper, top: SourceLoc | null, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof DiagnosticError || error instanceof InvariantError) throw error;
    if (!(error instanceof Error))
      throw threw({ message: `throws ${thrown(error)}`, hint: "throw an Error: it knows its place" }, top, mapper);
    const frames = parseStack(error.stack ?? "").filter(({ file }) => !file.startsWith("node:"));
    const loc = locate(frames.slice(0, 1), mapper);
    if (!loc) throw error;
    throw threw(explainError(error, language, expressionMethods), loc, mapper);
  }
}

/** Words for what was thrown and is no error: text as it is. */
const thrown = (value: unknown): string => (typeof value === "string" ? value : describe(value));

const language: LanguageNames = {
  "unplugin-kernel/op": Object.keys(authoring),
  "unplugin-kernel/ops": Object.keys(opLibrary),
};

function threw({ message, hint }: ExplainedError, loc: SourceLoc | null, mapper: SourceMapper): DiagnosticError {
  const line = loc && mapper.line(loc);
  const detail = loc && line ? codeFrame(line, loc, null) : null;
  return new DiagnosticError({ code: "op.threw", message, loc, hint, detail });
}
