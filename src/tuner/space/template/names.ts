// Names that an author gives to templates, decisions and their ways: they are kept in records, which take plain text only.

import { decodeAssignment } from "../../record/decode-record.ts";
import { ShapeError } from "../../record/strict.ts";
import { mistake } from "./author-mistake.ts";

/** @throws DiagnosticError `template.bad-name` */
export function requireName(name: string): void {
  if (name !== "" && isRecordable(name)) return;
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
  const wanted = "1 to 400 printable ASCII characters, without quotes and backslashes";
  throw mistake("template.bad-name", `${shown} is no name: ${wanted}`);
}

/** Asked of the decoder of records, so that the two cannot differ. */
function isRecordable(name: string): boolean {
  try {
    decodeAssignment({ [name]: 0 }, []);
    return true;
  } catch (error) {
    if (error instanceof ShapeError) return false;
    throw error;
  }
}
