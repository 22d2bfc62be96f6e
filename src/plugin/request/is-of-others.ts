// Whether an import with `?tune=` is left to others: what a file that is no operator file comes to.

import { DiagnosticError } from "../../compiler/index.ts";
import type { ResolvedOptions } from "../options/options.ts";

/**
 * Whether a file is another plugin's. A script that `exclude` does not name is refused: it would be taken as it is, and the program would
 * have the operator in place of the kernel.
 *
 * @param id the import, as messages show it
 * @throws DiagnosticError `request.not-included`
 */
export function isOfOthers(
  file: string,
  id: string,
  { accepts, leavesOut }: Pick<ResolvedOptions, "accepts" | "leavesOut">,
): boolean {
  if (accepts(file)) return false;
  if (leavesOut(file) || !/\.[cm]?[jt]sx?$/.test(file)) return true;
  throw new DiagnosticError({
    code: "request.not-included",
    message: `"${id}" asks for a kernel, and the file is no operator file`,
    loc: null,
    hint: "operator files end in .op.ts, .op.js, .op.mts or .op.mjs; option include may say otherwise, exclude leaves files to others",
    detail: null,
  });
}

/**
 * Refuses a path with a mark that the bundler, or every query, cuts paths at: the operator itself would be bundled, or nothing found.
 *
 * @param file operator, or script that imports it
 * @throws DiagnosticError `request.bad-path`
 */
export function checkPath(file: string, marks: string): void {
  const mark = [...marks].find((it) => file.includes(it));
  if (mark === undefined) return;
  throw new DiagnosticError({
    code: "request.bad-path",
    message: `"${mark}" stands in the path of ${file}, and paths are cut there`,
    loc: null,
    hint: "rename the folder or the file",
    detail: null,
  });
}
