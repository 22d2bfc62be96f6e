// C that a kernel is → what a compiler makes of it, as text.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CSource } from "../../src/compiler/index.ts";
import { compileFlags } from "../../src/native/addon/build.ts";
import { compilers } from "../../src/native/toolchain/compilers.ts";
import type { Toolchain } from "../../src/native/toolchain/toolchain.ts";

/** Compiles in the caller's folder and returns the assembler; `more` are flags beside those of a build. */
export function assemblerOf(
  source: CSource,
  toolchain: Toolchain,
  folder: string,
  more: readonly string[] = [],
): string {
  const [from, to] = ["kernel.c", "kernel.s"].map((name) => join(folder, name)) as [string, string];
  writeFileSync(from, source.text);
  const { subcommand, linkFlags, privateFiles } = compilers[toolchain.family];
  const linking = linkFlags(toolchain.platform);
  const flags = compileFlags(source, toolchain).filter((flag) => !linking.includes(flag));
  execFileSync(toolchain.path, [...subcommand, ...flags, ...more, "-S", from, "-o", to], {
    env: { ...process.env, ...toolchain.environment, ...privateFiles(folder) },
  });
  return readFileSync(to, "utf8");
}
