// Facts about a project that `doctor` shows: its bundler, whether the plugin is in its configuration, whether the lock
// is fresh, and the path of the store.

import { existsSync } from "node:fs";

import { codegenVersion, DiagnosticError } from "../../compiler/index.ts";
import { kernelsOf } from "../../plugin/declarations/find-imports.ts";
import { packageManagerOf } from "../../plugin/support/package-manager.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { staleReason } from "../../tuner/lock/lock-entry.ts";
import { readLockfile } from "../../tuner/lock/lockfile.ts";
import { totalBytes } from "../../tuner/store/garbage.ts";
import { storedItems } from "../../tuner/store/store-contents.ts";
import { storeProblems } from "../../tuner/store/store-problems.ts";
import { sizeText } from "../flags/size-text.ts";
import type { Project } from "../project/project.ts";

export interface ProjectState {
  /** The bundler's state in words, or null where there is no package.json and so no project. */
  readonly bundler: string | null;
  readonly lock: string;
  readonly store: string;
  /** What is wrong with the store's place. */
  readonly storeProblems: readonly string[];
}

export async function projectState(project: Project): Promise<ProjectState> {
  const { root, cacheDir } = project.options;
  const items = existsSync(cacheDir) ? await storedItems(cacheDir) : [];
  const bytes = totalBytes(items);
  return {
    bundler: await orWhyNot(async () => (await import("./bundler-state.ts")).bundlerState(root)),
    lock: await orWhyNot(() => lockState(project)),
    store: `${slashPath(process.cwd(), cacheDir) || "."}, ${items.length === 0 ? "empty" : sizeText(bytes)}`,
    storeProblems: storeProblems(cacheDir, root).map(({ text }) => text),
  };
}

/** Runs a check. A mistake of the project's is a line of its own here, not the end of the command. */
async function orWhyNot<State extends string | null>(state: () => Promise<State>): Promise<State | string> {
  try {
    return await state();
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return error.diagnostic.message;
  }
}

async function lockState(project: Project): Promise<string> {
  const { root, lockfile } = project.options;
  const kernels = kernelsOf(await project.imports());
  const content = await readLockfile(lockfile);
  if (content.kind === "broken") return content.diagnostic.message;
  if (kernels.length === 0) return "no imports of kernels found";
  const problems: string[] = [];
  for (const request of kernels) {
    const { lockName, task, opDigest } = await project.contextOf(request, "predict");
    const entry = content.entries.get(lockName);
    const why = entry ? staleReason(entry, { ...task, codegen: codegenVersion, opDigest }) : "it has no entry";
    if (why !== null) problems.push(`${lockName}: ${why}`);
  }
  const name = slashPath(root, lockfile);
  if (problems.length === 0) return `${name} is fresh, ${kernels.length} of ${kernels.length} kernels are in it`;
  const command = packageManagerOf(root).execute("unplugin-kernel tune");
  return `${name} is fresh for ${kernels.length - problems.length} of ${kernels.length} kernels: ${command} (${problems[0]})`;
}
