// A line of the user's file with the guilty part underlined: line, place, note → two lines of text.

import type { SourceLoc } from "./source-loc.ts";

/**
 *        8 |   return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j, 0)), k));
 *          |                                                         ^^^^^^^^^^ B: f32[512, 512]
 */
export function codeFrame(line: string, { line: number, column }: SourceLoc, note: string | null): string {
  const gutter = String(number).padStart(4);
  const marks = "^".repeat(callLength(line.slice(column - 1)));
  const under = `${" ".repeat(column - 1)}${marks}${note ? ` ${note}` : ""}`;
  return `${gutter} | ${line}\n${" ".repeat(gutter.length)} | ${under}`;
}

/** Length of the name or call that `text` starts with: `B(k, f(j))` of `B(k, f(j))), k)`. At least 1. */
function callLength(text: string): number {
  const name = /^(?:new\s+)?[\w$.]+/.exec(text)?.[0].length ?? 1;
  if (text[name] !== "(") return name;
  let depth = 0;
  for (let at = name; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return at + 1;
  }
  return text.length;
}
