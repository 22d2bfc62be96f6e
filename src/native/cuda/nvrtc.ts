// NVIDIA's compiler as a library: CUDA C → machine code for one architecture, and PTX. It needs neither a GPU nor a C compiler. Builds load it
// to know its version, and compile in processes of its own (nvrtc-processes.ts).

import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Koffi, Library } from "./calls.ts";
import { type CudaText, cudaOptions, type MachineBinary } from "./cuda-tools.ts";

/** Names that the library has on Linux and Windows, the newest first. */
const libraries: readonly string[] = [
  "libnvrtc.so.13",
  "libnvrtc.so.12",
  "libnvrtc.so",
  "nvrtc64_130_0.dll",
  "nvrtc64_120_0.dll",
];

export interface CudaCompiler {
  /** "NVRTC 13.0" */
  readonly identity: string;
  /** Path or name by which the library was loaded. */
  readonly library: string;
  /** Compiles a text for an architecture: "sm_90a". An Error says what the compiler did. */
  compile(source: CudaText, architecture: string): MachineBinary;
}

/** Path of the library, where the user names one. */
const namedNvrtc = (): string | undefined => process.env.UNPLUGIN_KERNEL_NVRTC;

/**
 * Loads the compiler; null: it is not installed, or koffi is not.
 *
 * @param at path of the library, where it lies elsewhere than the system looks
 */
export async function loadNvrtc(at = namedNvrtc()): Promise<CudaCompiler | null> {
  const koffi: Koffi | null = await import("koffi").then((it) => it.default).catch(() => null);
  if (!koffi) return null;
  for (const path of at === undefined ? libraries : [at]) {
    try {
      loadedParts.push(...partsBeside(path).map((part) => koffi.load(part)));
      return compilerOf(koffi.load(path), path);
    } catch {}
  }
  return null;
}

/** Handles of NVRTC's parts, kept for good: koffi unloads a library when its handle is collected, and NVRTC looks for its parts when it first compiles. */
const loadedParts: Library[] = [];

/** Libraries in the folder of a named one that the compiler looks for by name alone: it finds what is loaded. */
function partsBeside(path: string): readonly string[] {
  const folder = dirname(path);
  if (folder === ".") return [];
  const names = readdirSync(folder).filter((name) => name.startsWith("libnvrtc-builtins.so"));
  return names.map((name) => join(folder, name));
}

function compilerOf(library: Library, path: string): CudaCompiler {
  const version = library.func("int nvrtcVersion(_Out_ int *major, _Out_ int *minor)");
  const create = library.func(
    "int nvrtcCreateProgram(_Out_ void **prog, const char *src, const char *name, int n, void *headers, void *names)",
  );
  const compileProgram = library.func("int nvrtcCompileProgram(void *prog, int n, const char **options)");
  const logSize = library.func("int nvrtcGetProgramLogSize(void *prog, _Out_ size_t *size)");
  const log = library.func("int nvrtcGetProgramLog(void *prog, void *log)");
  const cubinSize = library.func("int nvrtcGetCUBINSize(void *prog, _Out_ size_t *size)");
  const cubin = library.func("int nvrtcGetCUBIN(void *prog, void *cubin)");
  const ptxSize = library.func("int nvrtcGetPTXSize(void *prog, _Out_ size_t *size)");
  const ptx = library.func("int nvrtcGetPTX(void *prog, void *ptx)");
  const destroy = library.func("int nvrtcDestroyProgram(_Inout_ void **prog)");
  const [major, minor] = [[0], [0]];
  version(major, minor);
  const bytesOf = (program: unknown, size: typeof logSize, get: typeof log): Buffer => {
    const length = [0n];
    size(program, length);
    const bytes = Buffer.alloc(Number(length[0]));
    get(program, bytes);
    return bytes;
  };
  /** Text that the library ends with a zero. */
  const textOf = (bytes: Buffer): string => bytes.toString("utf8").replace(/\0.*$/s, "");
  const compile = (source: CudaText, architecture: string): MachineBinary => {
    const handle = [null];
    create(handle, source.text, "kernel.cu", 0, null, null);
    const program = handle[0];
    try {
      const options = [
        `--gpu-architecture=${architecture}`,
        ...cudaOptions(source),
        "--device-as-default-execution-space",
      ];
      const code = compileProgram(program, options.length, options);
      if (code !== 0) throw new Error(`NVRTC: ${textOf(bytesOf(program, logSize, log)).trim()}`);
      return {
        cubin: new Uint8Array(bytesOf(program, cubinSize, cubin)),
        ptx: textOf(bytesOf(program, ptxSize, ptx)),
      };
    } finally {
      destroy([program]);
    }
  };
  return {
    identity: `NVRTC ${major[0]}.${minor[0]}`,
    library: path,
    compile,
  };
}
