// The kernels of a command's operator files, or all.

import { resolve } from "node:path";
import { kernelsOf } from "../plugin/declarations/find-imports.ts";
import type { ParsedRequest } from "../plugin/request.ts";
import { badArgument } from "./command.ts";
import type { Project } from "./project.ts";

/**
 * @param files as the command line has them; none: all kernels that the project imports
 * @throws DiagnosticError `command.bad-argument` for a file that nobody imports
 */
export async function wantedKernels(
  { imports, options: { root } }: Project,
  files: readonly string[],
): Promise<readonly ParsedRequest[]> {
  const kernels = kernelsOf(await imports());
  const named = files.map((file) => resolve(root, file));
  const unknown = files.find((_, at) => kernels.every(({ path }) => path !== named[at]));
  if (unknown !== undefined)
    throw badArgument(`no import asks for a kernel of ${unknown}`, "operator files that are imported");
  return kernels.filter(({ path }) => named.length === 0 || named.includes(path));
}
