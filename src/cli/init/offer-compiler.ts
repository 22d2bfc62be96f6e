// A C compiler for a project that imports native kernels on a machine without one: npm has one.

import { needsToolchain, targetNamed } from "../../compiler/index.ts";
import { detectToolchains } from "../../native/toolchain/detect.ts";
import { zigPackage } from "../../native/toolchain/zig.ts";
import { findImports } from "../../plugin/declarations/find-imports.ts";
import { packageManagerOf } from "../../plugin/support/package-manager.ts";

const isCompiled = (name: string): boolean => {
  const target = targetNamed(name);
  return name === "native" || (target !== undefined && needsToolchain(target));
};

/** Returns the command that brings one, and why; null: none is asked for, or one is here. */
export async function offeredCompiler(root: string, accepts: (path: string) => boolean): Promise<string | null> {
  // A build tells of mistakes in imports.
  const imports = await findImports(root, accepts, () => {});
  const asking = imports.map(({ request }) => request.settings.target).find(isCompiled);
  if (asking === undefined || (await detectToolchains({ project: root })).length > 0) return null;
  return `${packageManagerOf(root).add(zigPackage)}   a C compiler, which ?tune=${asking} needs and this machine lacks; else WASM answers`;
}
