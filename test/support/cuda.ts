// CUDA for tests without a GPU: a driver and an NVRTC in C (test/native/cuda), which run generated CUDA C on the CPU, and programs that are
// built and run with them.

import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packageFile } from "../../src/native/machine/package-file.ts";
import { writeApp } from "./build-app.ts";

const sources = fileURLToPath(new URL("../native/cuda", import.meta.url));

/** Why nothing of it works here; null: it does. */
export const noFakeGpu: string | null =
  spawnSync("g++", ["--version"]).status === 0 ? null : "no g++: apt-get install g++";

export interface FakeCuda {
  /** Path of the driver. */
  readonly driver: string;
  readonly nvrtc: string;
  /** Architectures that were compiled for, one after the other. */
  compiled(): readonly string[];
}

/** Compiles driver and compiler. */
export function makeFakeCuda(): FakeCuda {
  const folder = mkdtempSync(join(tmpdir(), "fake-cuda-"));
  const compile = (name: string): string => {
    const library = join(folder, `${name}.so`);
    const flags = ["-std=gnu11", "-O1", "-shared", "-fPIC", `-DFOLDER="${folder}"`, `-DSOURCES="${sources}"`];
    execFileSync("gcc", [...flags, "-o", library, join(sources, `${name}.c`), "-ldl"]);
    return library;
  };
  return {
    driver: compile("fake-libcuda"),
    nvrtc: compile("fake-nvrtc"),
    compiled() {
      const log = join(folder, "log");
      return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
    },
  };
}

/** An app of these files. @param koffi whether it is installed */
export function cudaApp(files: Readonly<Record<string, string>>, koffi = true): string {
  const root = writeApp({ ...files, "node_modules/.keep": "" });
  if (koffi) symlinkSync(packageFile("node_modules/koffi"), join(root, "node_modules/koffi"));
  return root;
}

interface AppOptions {
  readonly op?: string;
  readonly koffi?: boolean;
}

/** An app of one kernel. @param main its script, in which `gemm` is the kernel, and `A` and `B` its inputs */
export const gemmApp = (query: string, main: string, { op = gemmText, koffi = true }: AppOptions = {}): string =>
  cudaApp(
    {
      "src/main.js": `import gemm from "./gemm.op.ts?tune=${query}";
const integers = (length, salt) => Float32Array.from({ length }, (_, at) => ((at * 7 + salt) % 11) - 5);
const [A, B] = [integers(8 * 16, 1), integers(16 * 24, 2)];
${main}`,
      "src/gemm.op.ts": `import { gemm } from "unplugin-kernel/ops"; export default ${op};`,
    },
    koffi,
  );

const gemmText = "gemm({ M: 8, N: 24, K: 16 })";

/** Makes calls that a twin answers off the event loop slow, so that a GPU is faster on any machine. */
const slowWorkers = `data:text/javascript,${encodeURIComponent(`
import { Worker } from "node:worker_threads";
const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (...given) { setTimeout(() => postMessage.apply(this, given), 200); };
`)}`;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Runs a program to its end. Resolves to what it printed as JSON. */
export async function runProgram(file: string, env: Environment, twinIsSlow = true): Promise<unknown> {
  const flags = twinIsSlow ? ["--import", slowWorkers] : [];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, file], {
    // Packages are found from where a program is started, too.
    cwd: dirname(file),
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  return JSON.parse(stdout);
}
