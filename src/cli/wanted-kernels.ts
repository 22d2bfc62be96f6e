// The kernels of a command's operator files, or all. None at all is a mistake: a slip in a path would keep CI green for ever.

import { relative, resolve } from "node:path";
import { DiagnosticError } from "../compiler/index.ts";
import { kernelsOf } from "../plugin/declarations/find-imports.ts";
import { type ParsedRequest, parseRequest } from "../plugin/request.ts";
import { badArgument } from "./command.ts";
import type { OnLost, Project } from "./project.ts";

/**
 * @param onLost told of each import that leads to no operator file, which the log names too
 * @throws DiagnosticError `command.no-imports`
 */
export async function importedKernels(
  { imports, options: { root } }: Project,
  onLost?: OnLost,
): Promise<readonly ParsedRequest[]> {
  const kernels = kernelsOf(await imports(onLost));
  if (kernels.length > 0) return kernels;
  throw new DiagnosticError({
    code: "command.no-imports",
    message: `no imports of kernels found in ${relative(process.cwd(), root) || root}`,
    loc: null,
    hint: 'an import of a kernel is: import gemm from "./gemm.op.ts?tune=wasm"; --root names another project',
    detail: null,
  });
}

/** Returns what tells whether a kernel is meant by a name: an operator file, or an import of it with its query. */
function matcher(root: string, name: string): (kernel: ParsedRequest) => boolean {
  const request = parseRequest(name);
  const path = resolve(root, request?.path ?? name);
  return (kernel) => kernel.path === path && (request === null || kernel.query === request.query);
}

/**
 * @param names operator files, or imports of them with their queries, as the command line has them; none: all kernels that the
 *   project imports
 * @throws DiagnosticError `command.bad-argument` for a file that the project does not import, `command.no-imports`
 */
export async function wantedKernels(project: Project, names: readonly string[]): Promise<readonly ParsedRequest[]> {
  const kernels = await importedKernels(project);
  const matchers = names.map((name) => matcher(project.options.root, name));
  const unknown = names.find((_, at) => !kernels.some(matchers[at]!));
  if (unknown !== undefined)
    throw badArgument(`no import asks for a kernel of ${unknown}`, "operator files that are imported");
  return kernels.filter((kernel) => names.length === 0 || matchers.some((isMeant) => isMeant(kernel)));
}
