// NVIDIA's compiler as a command, where the PATH has it: CUDA C → machine code or PTX, by files in a private directory.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withPrivateDirectory } from "../file/private-directory.ts";
import { compilerEnvironment } from "../toolchain/compiler-environment.ts";
import { findOnPath } from "../toolchain/on-path.ts";
import { firstErrors } from "../toolchain/run-compiler.ts";
import { type GroupOptions, runInGroup } from "../toolchain/run-in-group.ts";
import { type CompilerOfCuda, type CudaText, type CudaTools, cudaOptions } from "./cuda-tools.ts";

/** Milliseconds for one kernel: the largest take a few seconds. */
const longestMs = 120_000;
const longestVersionMs = 20_000;

type Run = Pick<GroupOptions, "signal"> & { readonly folder: string; readonly timeoutMs?: number };

const searchPath = (): string => process.env.PATH ?? "";

/** Looks for the command; null: the PATH has none that works. */
export async function findNvcc(path = searchPath()): Promise<(CudaTools & CompilerOfCuda) | null> {
  const found = findOnPath(process.platform === "win32" ? "nvcc.exe" : "nvcc", path);
  if (!found) return null;
  const run = (args: readonly string[], { timeoutMs = longestMs, ...options }: Run) =>
    runInGroup(found.path, args, { ...options, timeoutMs, env: compilerEnvironment(found.path, options.folder) });
  const said = await withPrivateDirectory((folder) => run(["--version"], { folder, timeoutMs: longestVersionMs }));
  const version = said.kind === "done" ? /\bV(\d[\d.]*)/.exec(said.stdout)?.[1] : undefined;
  if (version === undefined) return null;
  const compiled = (form: string, source: CudaText, architecture: string, signal?: AbortSignal): Promise<Uint8Array> =>
    withPrivateDirectory(async (folder) => {
      await writeFile(join(folder, "kernel.cu"), source.text);
      const args = [form, `-arch=${architecture}`, ...cudaOptions(source), "-o", "kernel.out", "kernel.cu"];
      const result = await run(args, { folder, signal });
      if (result.kind === "late") throw new Error(`nvcc took longer than ${longestMs} ms`);
      if (result.kind === "failed") throw new Error(`nvcc: ${firstErrors(result.output) || result.reason}`);
      return new Uint8Array(await readFile(join(folder, "kernel.out")));
    });
  return {
    identity: `nvcc ${version}`,
    isCompiler: true,
    async compile(...given: Parameters<CompilerOfCuda["compile"]>) {
      const ptx = new TextDecoder().decode(await compiled("-ptx", ...given));
      return { cubin: await compiled("-cubin", ...given), ptx };
    },
  };
}
