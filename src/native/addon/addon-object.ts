// The addon without its kernels: an object file, and for Windows the libraries that say where its functions are. It costs four times what a kernel
// does and is the same for all, so a process makes it once for each compiler.

import { existsSync } from "node:fs";
import { copyFile, readFile } from "node:fs/promises";
import { join, parse } from "node:path";
import { nodeApiDefinitions, nodeApiInclude } from "../file/native-file.ts";
import { withPrivateDirectory } from "../file/private-directory.ts";
import { packageFile } from "../machine/package-file.ts";
import { brokenCompiler } from "../machine/unusable.ts";
import { onLastSignal } from "../process/outliving-work.ts";
import { compilers } from "../toolchain/compilers.ts";
import { type RunOptions, runCompiler } from "../toolchain/run-compiler.ts";
import { codeFlags, type Toolchain } from "../toolchain/toolchain.ts";

const sources = [
  "src/native/load/addon.c",
  "src/native/load/features.c",
  "src/native/load/features-arm.c",
  "src/native/load/threads.c",
  "src/native/load/threads-posix.h",
  "src/native/load/threads-windows.h",
  "src/native/load/windows-runtime.h",
  "src/native/load/kernel-table.h",
  "src/native/harness/bench.c",
];

/** A file that the linker takes beside the kernels. */
export interface AddonPart {
  readonly name: string;
  readonly bytes: Uint8Array;
}

type Parts = readonly AddonPart[];

/** Parts by compiler and kind: pure functions of their key, kept for their cost alone. */
const known = new Map<string, Promise<Parts | string>>();

/** `addon.o` and what goes with it, or why it could not be compiled. */
export function addonParts(toolchain: Toolchain, bench: boolean, timeoutMs: number): Promise<Parts | string> {
  const key = `${toolchain.path} ${toolchain.identity} ${bench}`;
  const parts = known.get(key) ?? compileAddon(toolchain, bench, timeoutMs);
  known.set(key, parts);
  // A failure may be of the moment (a full disk, a deadline): the next build tries again.
  const forget = (): boolean => known.delete(key);
  parts.then((result) => typeof result === "string" && forget(), forget);
  return parts;
}

/** Compiles it to the end, whichever build is stopped meanwhile, unless the process itself is to end. */
function compileAddon(toolchain: Toolchain, bench: boolean, timeoutMs: number): Promise<Parts | string> {
  const ending = new AbortController();
  const compiled = withPrivateDirectory((folder) =>
    compileIn({ folder, timeoutMs, signal: ending.signal }, toolchain, bench),
  );
  const forget = onLastSignal(() => {
    ending.abort(new Error("the process is to end"));
    return compiled;
  });
  compiled.then(forget, forget);
  return compiled;
}

async function compileIn(run: RunOptions, toolchain: Toolchain, bench: boolean): Promise<Parts | string> {
  const { folder } = run;
  for (const source of sources) await copyFile(packageFile(source), join(folder, source.split("/").at(-1)!));
  const options = [...compilers[toolchain.family].ownFlags(toolchain.platform), ...(bench ? ["-DKERNEL_BENCH"] : [])];
  const files = ["-I", nodeApiInclude(), "-c", "addon.c", "-o", "addon.o"];
  const failure = await runCompiler(toolchain, [...codeFlags("strict"), ...options, ...files], run);
  if (failure !== null) return failure;
  const libraries = toolchain.platform.startsWith("win32-") ? await importLibraries(run, toolchain) : [];
  if (typeof libraries === "string") return libraries;
  return Promise.all(["addon.o", ...libraries].map((name) => partIn(folder, name, toolchain)));
}

async function partIn(folder: string, name: string, { path }: Toolchain): Promise<AddonPart> {
  if (!existsSync(join(folder, name))) throw brokenCompiler(path, name);
  return { name, bytes: await readFile(join(folder, name)) };
}

/** Makes the libraries by which the linker of Windows knows the file that has a function. Returns their names, or why one could not be made. */
async function importLibraries(run: RunOptions, toolchain: Toolchain): Promise<readonly string[] | string> {
  const { importLibrary } = compilers[toolchain.family];
  if (!importLibrary) return [];
  const on = toolchain.platform.endsWith("-arm64") ? "arm64" : "x64";
  const names: string[] = [];
  for (const definition of [...nodeApiDefinitions(), packageFile("src/native/load/windows.def")]) {
    const name = `${parse(definition).name}.lib`;
    const failure = await runCompiler(toolchain, importLibrary(definition, name, on), { ...run, subcommand: [] });
    if (failure !== null) return failure;
    names.push(name);
  }
  return names;
}
