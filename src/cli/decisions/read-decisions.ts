// A file of decisions that a command names → its text, or the error that says why it cannot be read.

import type { DiagnosticError } from "../../compiler/index.ts";
import { refuse } from "../../compiler/index.ts";
import { readExchangeFile } from "../../tuner/store/exchange-file.ts";

/** @throws DiagnosticError `exchange.unreadable` */
export function readDecisions(file: string): string {
  const content = readExchangeFile(file);
  if (content.kind === "read") return content.text;
  throw unreadable(file, content.why);
}

export const unreadable = (file: string, why: string): DiagnosticError =>
  refuse("exchange.unreadable", `${file} cannot be read: ${why}`, "a file that cache export has written");
