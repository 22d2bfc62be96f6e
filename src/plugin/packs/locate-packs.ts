// Packs by name: packages of tuned decisions that a project has installed.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { DiagnosticError } from "../../compiler/index.ts";
import type { ResolvedOptions } from "../options/options.ts";

export interface PackPlace {
  /** Name of the package, as option `packs` has it. */
  readonly name: string;
  /** Absolute path of its folder. */
  readonly folder: string;
}

/**
 * Finds the packages of option `packs`, in its order.
 *
 * @throws DiagnosticError `packs.not-found`
 */
export function locatePacks({ root, packs }: Pick<ResolvedOptions, "root" | "packs">): readonly PackPlace[] {
  const { resolve } = createRequire(join(root, "package.json"));
  return packs.map((name) => {
    try {
      return { name, folder: dirname(resolve(`${name}/package.json`)) };
    } catch (error) {
      // A SyntaxError is of a package.json.
      if (!(error instanceof SyntaxError || (error instanceof Error && "code" in error))) throw error;
      throw notFound(name, root);
    }
  });
}

const notFound = (name: string, root: string): DiagnosticError =>
  new DiagnosticError({
    code: "packs.not-found",
    message: `option packs names ${name}, which is not installed in ${root}`,
    loc: null,
    hint: "install the package, or take it out of the option",
    detail: null,
  });
