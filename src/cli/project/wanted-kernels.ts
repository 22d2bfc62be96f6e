// The kernels that a command's arguments name, or all. None at all is a mistake: a slip in a path would keep CI green for ever.

import { realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import picomatch from "picomatch";
import { DiagnosticError } from "../../compiler/index.ts";
import { type FoundImport, kernelsOf } from "../../plugin/declarations/find-imports.ts";
import { type ParsedRequest, parseRequest } from "../../plugin/request/request.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { badArgument } from "../flags/flags.ts";
import type { OnLost, Project } from "./project.ts";

/**
 * @param onLost told of each import that leads to no operator file, which the log names too
 * @throws DiagnosticError `command.no-imports`
 */
async function someImports({ imports, options: { root } }: Project, onLost?: OnLost): Promise<readonly FoundImport[]> {
  const found = await imports(onLost);
  if (found.length > 0) return found;
  throw new DiagnosticError({
    code: "command.no-imports",
    message: `no imports of kernels found in ${relative(process.cwd(), root) || root}`,
    loc: null,
    hint: 'an import of a kernel is: import gemm from "./gemm.op.ts?tune=wasm"; --root names another project',
    detail: null,
  });
}

/** As `someImports`: each kernel once. */
export const importedKernels = async (project: Project, onLost?: OnLost): Promise<readonly ParsedRequest[]> =>
  kernelsOf(await someImports(project, onLost));

/** Folders may be reached by links, and a file has one real path. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const slashes = (path: string): string => path.replaceAll("\\", "/");

type Test = (found: FoundImport) => boolean;

/** Ways to read a path on the command line, the first that means any import counts: a file, a pattern for files, an import as it is written. */
function readings(root: string, path: string): readonly Test[] {
  const isFile = (name: string): Test => {
    const file = realPath(resolve(root, name));
    return ({ request }) => realPath(request.path) === file;
  };
  // cmd and PowerShell leave patterns to the programs.
  const isLike = picomatch(slashes(path).replace(/^\.\//, ""), { dot: true });
  return [
    isFile(path),
    isFile(slashes(path)),
    ({ request }) => isLike(slashPath(root, request.path)),
    ({ specifier }) => specifier.split("?")[0] === path,
  ];
}

/** Returns the imports that a name means: an operator file, or an import of it with its query. */
function meantBy(name: string, root: string, imports: readonly FoundImport[]): readonly FoundImport[] {
  const asked = parseRequest(name);
  const hasQuery: Test = ({ request }) => asked === null || request.query === asked.query;
  const path = asked?.path ?? name;
  if (path === "") return [];
  const meant = readings(root, path).map((isMeant) => imports.filter((it) => hasQuery(it) && isMeant(it)));
  return meant.find((found) => found.length > 0) ?? [];
}

/** Most files that an error lists. */
const mostListed = 8;

function unknownName(name: string, root: string, imports: readonly FoundImport[]): DiagnosticError {
  const files = [...new Set(imports.map(({ request }) => slashPath(root, request.path)))].sort();
  const more = files.length > mostListed ? `, or another of ${files.length} operator files` : "";
  return badArgument(`no import asks for a kernel of ${name}`, files.slice(0, mostListed).join(", ") + more);
}

/**
 * @param names operator files, patterns for them, or imports of them, as the command line has them; none: all kernels that the project imports
 * @throws DiagnosticError `command.bad-argument` for a file that the project does not import, `command.no-imports`
 */
export async function wantedKernels(project: Project, names: readonly string[]): Promise<readonly ParsedRequest[]> {
  const { root } = project.options;
  const imports = await someImports(project);
  if (names.length === 0) return kernelsOf(imports);
  const wanted = names.map((name) => ({ name, found: meantBy(name, root, imports) }));
  const unknown = wanted.find(({ found }) => found.length === 0);
  if (unknown) throw unknownName(unknown.name, root, imports);
  return kernelsOf(wanted.flatMap(({ found }) => found));
}
