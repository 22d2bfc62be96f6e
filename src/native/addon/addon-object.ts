// The addon without its kernels, as an object file. It costs four times what a kernel does and is the same for all, so a
// process compiles it once for each compiler.

import { existsSync } from "node:fs";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { nodeApiInclude, packageFile } from "../file/native-file.ts";
import { withPrivateDirectory } from "../file/private-directory.ts";
import { brokenCompiler } from "../machine/unusable.ts";
import { onLastSignal } from "../process/outliving-work.ts";
import { compilers } from "../toolchain/compilers.ts";
import { runCompiler } from "../toolchain/run-compiler.ts";
import { codeFlags, type Toolchain } from "../toolchain/toolchain.ts";

const sources = [
  "src/native/load/addon.c",
  "src/native/load/threads.c",
  "src/native/load/kernel-table.h",
  "src/native/harness/bench.c",
];

/** Objects by compiler and kind: pure functions of their key, kept for their cost alone. */
const known = new Map<string, Promise<Uint8Array | string>>();

/** The bytes of `addon.o`, or why it could not be compiled. */
export function addonObject(toolchain: Toolchain, bench: boolean, timeoutMs: number): Promise<Uint8Array | string> {
  const key = `${toolchain.path} ${toolchain.identity} ${bench}`;
  const object = known.get(key) ?? compileAddon(toolchain, bench, timeoutMs);
  known.set(key, object);
  // A failure may be of the moment (a full disk, a deadline): the next build tries again.
  const forget = (): boolean => known.delete(key);
  object.then((result) => typeof result === "string" && forget(), forget);
  return object;
}

/** Compiles it to the end, whichever build is stopped meanwhile, unless the process itself is to end. */
function compileAddon(toolchain: Toolchain, bench: boolean, timeoutMs: number): Promise<Uint8Array | string> {
  const ending = new AbortController();
  const compiled = compileUnless(ending.signal, toolchain, bench, timeoutMs);
  const forget = onLastSignal(() => {
    ending.abort(new Error("the process is to end"));
    return compiled;
  });
  compiled.then(forget, forget);
  return compiled;
}

const compileUnless = (
  signal: AbortSignal,
  toolchain: Toolchain,
  bench: boolean,
  timeoutMs: number,
): Promise<Uint8Array | string> =>
  withPrivateDirectory(async (folder) => {
    for (const source of sources) await copyFile(packageFile(source), join(folder, source.split("/").at(-1)!));
    const options = [...compilers[toolchain.family].ownFlags(toolchain.platform), ...(bench ? ["-DKERNEL_BENCH"] : [])];
    const files = ["-I", nodeApiInclude(), "-c", "addon.c", "-o", "addon.o"];
    const args = [...codeFlags("strict"), ...options, ...files];
    const failure = await runCompiler(toolchain, args, { folder, timeoutMs, signal });
    if (failure !== null) return failure;
    const object = join(folder, "addon.o");
    if (!existsSync(object)) throw brokenCompiler(toolchain.path, "addon.o");
    return readFile(object);
  });
