// NVIDIA's compiler as a library: CUDA C → machine code for one architecture. It is loaded when a kernel is compiled, and needs
// neither a GPU nor a C compiler.

import type { CudaSource } from "../../compiler/index.ts";

/** Names that the library has on Linux and Windows, the newest first. */
const libraries: readonly string[] = [
  "libnvrtc.so.13",
  "libnvrtc.so.12",
  "libnvrtc.so",
  "nvrtc64_130_0.dll",
  "nvrtc64_120_0.dll",
];

export interface CudaCompiler {
  /** Compiles a text; an Error says what the compiler did. */
  compile(source: Pick<CudaSource, "text" | "numerics">, architecture: string): Uint8Array;
}

/**
 * Loads the compiler; null: it is not installed, or koffi is not.
 *
 * @param at path of the library, where it lies elsewhere than the system looks
 */
export async function loadNvrtc(at = process.env.UNPLUGIN_KERNEL_NVRTC): Promise<CudaCompiler | null> {
  const koffi = await import("koffi").then((it) => it.default).catch(() => null);
  if (!koffi) return null;
  for (const path of at === undefined ? libraries : [at]) {
    try {
      return compilerOf(koffi.load(path));
    } catch {}
  }
  return null;
}

type Koffi = typeof import("koffi").default;

function compilerOf(library: ReturnType<Koffi["load"]>): CudaCompiler {
  const create = library.func(
    "int nvrtcCreateProgram(_Out_ void **prog, const char *src, const char *name, int n, void *headers, void *names)",
  );
  const compileProgram = library.func("int nvrtcCompileProgram(void *prog, int n, const char **options)");
  const logSize = library.func("int nvrtcGetProgramLogSize(void *prog, _Out_ size_t *size)");
  const log = library.func("int nvrtcGetProgramLog(void *prog, void *log)");
  const cubinSize = library.func("int nvrtcGetCUBINSize(void *prog, _Out_ size_t *size)");
  const cubin = library.func("int nvrtcGetCUBIN(void *prog, void *cubin)");
  const destroy = library.func("int nvrtcDestroyProgram(_Inout_ void **prog)");
  const bytesOf = (program: unknown, size: typeof logSize, get: typeof log): Buffer => {
    const length = [0n];
    size(program, length);
    const bytes = Buffer.alloc(Number(length[0]));
    get(program, bytes);
    return bytes;
  };
  return {
    compile({ text, numerics }, architecture) {
      const handle = [null];
      create(handle, text, "kernel.cu", 0, null, null);
      const program = handle[0];
      try {
        const options = [
          `--gpu-architecture=${architecture}`,
          "--std=c++17",
          `--fmad=${numerics === "fast"}`,
          "--device-as-default-execution-space",
        ];
        const code = compileProgram(program, options.length, options);
        if (code !== 0) throw new Error(`NVRTC: ${bytesOf(program, logSize, log).toString("utf8").trim()}`);
        return new Uint8Array(bytesOf(program, cubinSize, cubin));
      } finally {
        destroy([program]);
      }
    },
  };
}
