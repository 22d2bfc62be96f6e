// C that a kernel is → what gcc makes of it, as text.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CSource } from "../../src/compiler/index.ts";
import { compileFlags } from "../../src/native/build.ts";
import type { Toolchain } from "../../src/native/toolchain/toolchain.ts";

/** In a folder of the caller's. */
export function assemblerOf(source: CSource, gcc: Toolchain, folder: string): string {
  const [from, to] = ["kernel.c", "kernel.s"].map((name) => join(folder, name)) as [string, string];
  writeFileSync(from, source.text);
  execFileSync(gcc.path, [...compileFlags(source, gcc), "-S", from, "-o", to]);
  return readFileSync(to, "utf8");
}
