// A compiler that says it is gcc, and does something else with kernels.

import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { vi } from "vitest";
import { toolchains } from "../../../native/compiled.ts";

/** Path of the real one; null: there is none. */
export const gcc = toolchains.find(({ family }) => family === "gcc")?.path ?? null;

/** Puts a compiler first on the PATH that says it is gcc, and does this to what gcc was told to build. */
export function plantCompiler(script: string): void {
  const folder = mkdtempSync(join(tmpdir(), "compiler-"));
  const text = `#!/bin/sh
out=""; previous=""; isKernel=""
for one in "$@"; do
  if [ "$previous" = "-o" ]; then out="$one"; fi
  if [ "$one" = "kernels.c" ]; then isKernel=yes; fi
  previous="$one"
done
if [ -z "$isKernel" ]; then exec ${gcc} "$@"; fi
${script}
`;
  writeFileSync(join(folder, "gcc"), text);
  chmodSync(join(folder, "gcc"), 0o755);
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
}
