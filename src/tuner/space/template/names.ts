// Checks names that an author gives to templates, decisions and their ways: they are kept in records, which take plain text only.
// The decoders of records decide, so that the two cannot differ.

import { decodeAssignment, decodeTemplateName } from "../../data/decode-record.ts";
import { ShapeError } from "../../support/strict.ts";
import { mistake } from "./author-mistake.ts";

/** Checks the name of a decision, or of one of its ways. @throws DiagnosticError `template.bad-name` */
export const requireName = (name: string): void => requireText(name, 400, () => decodeAssignment({ [name]: 0 }, []));

/** Checks the name of a template. @throws DiagnosticError `template.bad-name` */
export const requireTemplateName = (name: string): void => requireText(name, 2000, () => decodeTemplateName(name, []));

function requireText(name: string, most: number, decode: () => unknown): void {
  if (name !== "" && isDecoded(decode)) return;
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
  const wanted = `1 to ${most} printable ASCII characters, without quotes and backslashes`;
  throw mistake("template.bad-name", `${shown} is no name: ${wanted}`);
}

function isDecoded(decode: () => unknown): boolean {
  try {
    decode();
    return true;
  } catch (error) {
    if (error instanceof ShapeError) return false;
    throw error;
  }
}
