// NVIDIA's compiler as a command, where the PATH has it: CUDA C → machine code or PTX, by files in a private directory.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withPrivateDirectory } from "../file/private-directory.ts";
import { compilerEnvironment } from "../toolchain/compiler-environment.ts";
import { findOnPath } from "../toolchain/on-path.ts";
import { firstErrors } from "../toolchain/run-compiler.ts";
import { runInGroup } from "../toolchain/run-in-group.ts";
import { type CudaText, cudaOptions } from "./nvrtc.ts";

/** Milliseconds for one kernel: the largest take a few seconds. */
const longestMs = 120_000;
const longestVersionMs = 20_000;

export interface Nvcc {
  /** "nvcc 13.0.88" */
  readonly identity: string;
  compile(source: CudaText, architecture: string): Promise<Uint8Array>;
  ptx(source: CudaText, architecture: string): Promise<string>;
}

const searchPath = (): string => process.env.PATH ?? "";

/** Looks for the command; null: the PATH has none that works. */
export async function findNvcc(path = searchPath()): Promise<Nvcc | null> {
  const found = findOnPath(process.platform === "win32" ? "nvcc.exe" : "nvcc", path);
  if (!found) return null;
  const run = (args: readonly string[], folder: string, timeoutMs = longestMs) =>
    runInGroup(found.path, args, { folder, timeoutMs, env: compilerEnvironment(found.path, folder) });
  const said = await withPrivateDirectory((folder) => run(["--version"], folder, longestVersionMs));
  const version = said.kind === "done" ? /\bV(\d[\d.]*)/.exec(said.stdout)?.[1] : undefined;
  if (version === undefined) return null;
  const compiled = (source: CudaText, form: string, architecture: string): Promise<Uint8Array> =>
    withPrivateDirectory(async (folder) => {
      await writeFile(join(folder, "kernel.cu"), source.text);
      const args = [form, `-arch=${architecture}`, ...cudaOptions(source), "-o", "kernel.out", "kernel.cu"];
      const result = await run(args, folder);
      if (result.kind === "late") throw new Error(`nvcc took longer than ${longestMs} ms`);
      if (result.kind === "failed") throw new Error(`nvcc: ${firstErrors(result.output) || result.reason}`);
      return new Uint8Array(await readFile(join(folder, "kernel.out")));
    });
  return {
    identity: `nvcc ${version}`,
    compile: (source, architecture) => compiled(source, "-cubin", architecture),
    ptx: async (source, architecture) => new TextDecoder().decode(await compiled(source, "-ptx", architecture)),
  };
}
