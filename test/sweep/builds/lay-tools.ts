// The PATH of a case: a folder with the compiler that it has, or none.

import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildCase } from "./dimensions.ts";

/** The compiler itself; wrappers name it by its path. */
const gcc = "/usr/bin/gcc";
export const hasCompiler = existsSync(gcc);

/** Lines that let a wrapper say what it is, as compilers are asked before they are used. */
const answers = `case "$1" in --version|-dumpmachine|-print-prog-name=*) exec ${gcc} "$@";; esac`;

/** Name that follows -o. */
const findOutput = 'out=; for arg; do [ "$last" = -o ] && out=$arg; last=$arg; done';

const wrappers: { readonly [compiler in BuildCase["compiler"]]?: string } = {
  fails: `${answers}\necho "error: drawn" >&2\nexit 1`,
  "writes nothing": `${answers}\nexit 0`,
  "writes rubbish": `${answers}\n${findOutput}\n[ -n "$out" ] && echo rubbish > "$out"\nexit 0`,
  // Kernels are plain arithmetic: with another + they still compile.
  "computes something else": `${answers}\n[ -f kernels.c ] && /bin/sed -i 's/ + / - /g' kernels.c\nexec ${gcc} "$@"`,
  "is slow": `${answers}\n/bin/sleep 0.3\nexec ${gcc} "$@"`,
  "never answers": "/bin/sleep 600",
  "never ends": `${answers}\n/bin/sleep 600`,
};

export function layTools(root: string, compiler: BuildCase["compiler"]): void {
  const path = join(root, "bin/gcc");
  if (compiler === "right" && hasCompiler) symlinkSync(gcc, path);
  const wrapper = wrappers[compiler];
  if (wrapper !== undefined) writeFileSync(path, `#!/bin/sh\n${wrapper}\n`, { mode: 0o755 });
}
