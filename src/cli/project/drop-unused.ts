// Entries of the lock that nothing imports any more → gone, after `tune --update`. What may still be imported stays.

import { DiagnosticError } from "../../compiler/index.ts";
import { kernelsOf } from "../../plugin/declarations/find-imports.ts";
import { lockNamesOf } from "../../plugin/kernel/compile/other-targets.ts";
import type { ParsedRequest } from "../../plugin/request/request.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { readLockfile, updateLockfile } from "../../tuner/lock/lockfile.ts";
import type { Project } from "./project.ts";

/** Name of a kernel without its target: an import of `native` has another one on each machine. */
const withoutTarget = (name: string): string => name.replace(/([?&])tune=[^&]*/, "$1tune=");

interface Used {
  readonly names: ReadonlySet<string>;
  /** Names without a target, of imports that have whatever target the machine is. */
  readonly anyTarget: ReadonlySet<string>;
  /** Operator files of which the kernels could not be named, as they have a mistake. */
  readonly broken: ReadonlySet<string>;
}

async function usedBy({ contextOf, options: { root } }: Project, kernels: readonly ParsedRequest[]): Promise<Used> {
  const [names, anyTarget, broken] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const request of kernels) {
    try {
      const context = await contextOf(request, "predict");
      const { lockName } = context;
      for (const name of lockNamesOf(context)) names.add(name);
      if (request.settings.target === "native") anyTarget.add(withoutTarget(lockName));
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      broken.add(slashPath(root, request.path));
    }
  }
  return { names, anyTarget, broken };
}

/**
 * Takes entries out of the lock that no file of the project imports, and returns their names. Where an import leads to no operator file,
 * none is: it may be one that the bundler alone can resolve. A lock that did not take a decision is not tried again.
 *
 * @param files operator files, absolute, whose entries may go; null: all
 * @throws DiagnosticError `lock.broken`, `lock.version`, `lock.unwritable`
 */
export async function dropUnused(project: Project, files: readonly string[] | null): Promise<readonly string[]> {
  const { lockfile, root } = project.options;
  let hasLost = false;
  const kernels = kernelsOf(
    await project.imports(() => {
      hasLost = true;
    }),
  );
  const content = await readLockfile(lockfile);
  if (content.kind === "broken") throw new DiagnosticError(content.diagnostic);
  if (hasLost || project.lockProblem()) return [];
  const { names, anyTarget, broken } = await usedBy(project, kernels);
  const among = files?.map((file) => slashPath(root, file));
  const mayGo = (name: string): boolean => {
    const file = name.split("?")[0]!;
    return (
      !names.has(name) && !anyTarget.has(withoutTarget(name)) && !broken.has(file) && (among?.includes(file) ?? true)
    );
  };
  const unused = [...content.entries.keys()].filter(mayGo).sort();
  const problem = unused.length > 0 && (await updateLockfile(lockfile, new Map(unused.map((name) => [name, null]))));
  if (problem) throw new DiagnosticError(problem);
  return unused;
}
