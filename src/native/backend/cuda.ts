// CUDA C → machine code, by NVRTC in this process: neither a GPU nor a C compiler is needed.

import type { CudaSource } from "../../compiler/index.ts";
import type { CudaRunnable } from "../cuda/loader.ts";
import { type CudaCompiler, loadNvrtc } from "../cuda/nvrtc.ts";
import type { BuiltRunnable, Executor } from "./executor.ts";

/** Codes that are kept: finalists are built again for the race. */
const mostKept = 64;

const missing: BuiltRunnable = {
  kind: "build-failed",
  reason:
    "there is no NVRTC: install the CUDA toolkit (libnvrtc) and the package koffi, or name the library in UNPLUGIN_KERNEL_NVRTC",
};

/**
 * @param loader returns the URL of the loader, as JavaScript; asked when a kernel is built
 * @param loadCompiler called when the first kernel is built
 */
export function cudaExecutor(loader: () => string, loadCompiler = loadNvrtc): Executor<CudaSource> {
  let compiler: Promise<CudaCompiler | null> | null = null;
  const kept = new Map<string, BuiltRunnable>();
  const build = (source: CudaSource, nvrtc: CudaCompiler): BuiltRunnable => {
    const key = `${source.architecture} ${source.numerics}\n${source.text}`;
    const known = kept.get(key) ?? compiled(source, nvrtc, loader());
    kept.set(key, known);
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    return known;
  };
  return {
    name: "cuda",
    async build(sources) {
      compiler ??= loadCompiler();
      const nvrtc = await compiler;
      return sources.map((source) => (nvrtc ? build(source, nvrtc) : missing));
    },
  };
}

function compiled(source: CudaSource, nvrtc: CudaCompiler, module: string): BuiltRunnable {
  const { launches, scratch, architecture } = source;
  try {
    const runnable: CudaRunnable = {
      kind: "cuda",
      module,
      code: nvrtc.compile(source, architecture),
      launches,
      scratch,
    };
    return { kind: "built", runnable };
  } catch (error) {
    return { kind: "build-failed", reason: (error as Error).message.slice(0, mostReason) };
  }
}

/** Most characters of what a compiler says. */
const mostReason = 2000;
