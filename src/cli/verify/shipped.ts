// What would ship, for `verify`: kernels built again against those of the store, files of a build's output against both, and
// what lies in the cache directory that this user's builds did not put there.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { needsToolchain, sha256 } from "../../compiler/index.ts";
import { makeArtifacts } from "../../plugin/kernel/artifacts/make-artifacts.ts";
import { addonsElsewhere } from "../../plugin/kernel/compile/addons-elsewhere.ts";
import { engineVariants } from "../../plugin/kernel/compile/engine-variants.ts";
import type { KernelContext } from "../../plugin/kernel/context/kernel-context.ts";
import { decideSchedule } from "../../plugin/kernel/decision/decide-schedule.ts";
import { addonsFolder, isOfItsName } from "../../plugin/kernel/stored/addon-file.ts";
import { isModuleOfItsName, modulesFolder } from "../../plugin/kernel/stored/module-file.ts";
import { moduleInCode, moduleOf } from "../../plugin/runtime/module-text.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { ifReadable } from "../../tuner/store/if-readable.ts";
import type { RebuildingStore } from "../../tuner/store/rebuilding-store.ts";

/** What a frozen build would take from the store, against what is built again. */
export interface Shipped {
  /** Why something else would ship than is built; null: nothing else would. */
  readonly problem: string | null;
  /** What could not be compared; null: all was. */
  readonly notCompared: string | null;
}

/** Builds all that a frozen build ships of a kernel again, and compares it with what the store would give. */
export async function compareShipped(context: KernelContext, store: RebuildingStore): Promise<Shipped> {
  const decision = await decideSchedule(context);
  const isNative = needsToolchain(decision.task.target);
  if (!isNative || (await context.toolchain())) await makeArtifacts(context, decision);
  await addonsElsewhere(context, decision);
  await engineVariants(context);
  const { differing, notRebuilt } = await store.compare();
  return {
    problem:
      differing.length > 0
        ? `the store has another ${differing.join(", ")} than is built, and a build would ship it: delete the store`
        : null,
    notCompared:
      notRebuilt.length > 0 ? `${notRebuilt.join(", ")} of the store: made by a compiler that is not here` : null,
  };
}

export interface Foreign {
  /** "addon, facts of src/gemm.op.ts?tune=avx512". */
  readonly what: string;
  readonly key: string | null;
}

/** Addons for dev servers whose bytes are not those of their name. */
export function changedAddons(cacheDir: string): readonly Foreign[] {
  const folder = addonsFolder(cacheDir);
  const isChanged = (path: string): boolean => {
    const bytes = ifReadable(() => readFileSync(path));
    return bytes !== null && !isOfItsName(basename(path), bytes);
  };
  return (ifReadable(() => filesBelow(folder)) ?? [])
    .filter((path) => path.endsWith(".node") && isChanged(path))
    .map((path) => ({ what: `addon for dev servers, ${slashPath(cacheDir, path)}`, key: null }));
}

/** Modules for Jest whose code is not that of their name, or that have none of the names that we give. */
export function changedModules(cacheDir: string): readonly Foreign[] {
  return filesBelow(modulesFolder(cacheDir))
    .filter((path) => /\.[cm]js$/.test(path) && !isModuleOfItsName(basename(path), readFileSync(path)))
    .map((path) => ({ what: `module for Jest, ${slashPath(cacheDir, path)}`, key: null }));
}

/** An addon or a module of a build's output that is not one of those that are built of the lock. */
export interface OutputFile {
  readonly file: string;
  readonly state: "right" | "wrong" | "other";
}

/**
 * Compares the addons and WASM modules in a folder with what was built, by digest. A file that is named like a kernel, or a module
 * in a script of ours, that is none of those is wrong; other files are of other packages.
 *
 * @param built digests of all that was built
 * @param names beginnings of the names of files of kernels
 */
export function compareOutput(
  folder: string,
  built: ReadonlySet<string>,
  names: readonly string[],
): readonly OutputFile[] {
  return filesBelow(folder).flatMap((path): OutputFile[] => {
    const file = slashPath(folder, path);
    if (/\.(node|wasm)$/.test(path)) {
      if (built.has(sha256(readFileSync(path)))) return [{ file, state: "right" }];
      return [{ file, state: names.some((name) => basename(path).startsWith(name)) ? "wrong" : "other" }];
    }
    if (!isScript(path)) return [];
    return [...readFileSync(path, "utf8").matchAll(moduleInCode)].map(([, text]) => ({
      file: `${file}, a module in it`,
      state: built.has(sha256(moduleOf(text!))) ? "right" : "wrong",
    }));
  });
}

/** Says whether a file may have modules of ours in its code. */
export const isScript = (path: string): boolean => /\.([cm]?js|html)$/.test(path);

export function filesBelow(folder: string): readonly string[] {
  try {
    const all = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
    return all.filter((path) => statSync(path).isFile()).sort();
  } catch (error) {
    // A file in place of a folder above it is no folder either.
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
