// NVIDIA's compiler and disassembler as test/compiler/cuda/host/install-tools.js unpacks them: what machine code is made of, without a GPU.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type CudaCompiler, loadNvrtc } from "../../../src/native/cuda/nvrtc.ts";
import { packageFile } from "../../../src/native/machine/package-file.ts";

// Bundled sweeps use it from elsewhere, so the folder is looked for from there upwards.
const folder = join(dirname(packageFile("test/run.js")), "../out/cuda-tools");
const libraries = join(folder, "usr/lib/x86_64-linux-gnu");

/** Null: they are here; else what is missing. */
export const noCudaTools = existsSync(folder) ? null : "node test/compiler/cuda/host/install-tools.js installs NVRTC";

export const nvrtcLibrary = join(libraries, "libnvrtc.so.12");

/** The driver's library, which finds no device. */
export const driverWithoutDevice = join(libraries, "nvidia/current/libcuda.so.1");

export async function openNvrtc(): Promise<CudaCompiler> {
  const compiler = await loadNvrtc(nvrtcLibrary);
  if (!compiler) throw new Error("NVRTC does not load");
  return compiler;
}

/** What one thread of a function takes of registers and, where they do not do, of memory. */
export interface ResourceUsage {
  readonly registers: number;
  readonly stack: number;
  readonly local: number;
}

/** Of several functions the numbers are sums. */
export interface MachineCode extends ResourceUsage {
  /** How often the text has an instruction, by the first part of its name. */
  readonly instructions: ReadonlyMap<string, number>;
}

function toolOutput(name: string, ...args: readonly string[]): string {
  const { stdout, status, stderr } = spawnSync(join(folder, "usr/bin", name), args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
  return stdout;
}

const total = (text: string, pattern: RegExp): number =>
  [...text.matchAll(pattern)].reduce((sum, [, number]) => sum + Number(number), 0);

/** Usage of each function, by its name. */
export const resourceUsages = (cubin: Uint8Array): ReadonlyMap<string, ResourceUsage> => withCubinFile(cubin, usagesOf);

/** Takes machine code apart. */
export const readMachineCode = (cubin: Uint8Array): MachineCode =>
  withCubinFile(cubin, (file) => ({ ...usageOf(file), instructions: instructionsOf(file) }));

function usagesOf(file: string): ReadonlyMap<string, ResourceUsage> {
  const functions = toolOutput("cuobjdump", "--dump-resource-usage", file).matchAll(/^ *Function (\w+):\n(.*)$/gm);
  return new Map(
    [...functions].map(([, name, usage]) => [
      name!,
      {
        registers: total(usage!, /REG:(\d+)/g),
        stack: total(usage!, /STACK:(\d+)/g),
        local: total(usage!, /LOCAL:(\d+)/g),
      },
    ]),
  );
}

function usageOf(file: string): ResourceUsage {
  const all = [...usagesOf(file).values()];
  const sumOf = (part: keyof ResourceUsage): number => all.reduce((sum, usage) => sum + usage[part], 0);
  return { registers: sumOf("registers"), stack: sumOf("stack"), local: sumOf("local") };
}

function instructionsOf(file: string): ReadonlyMap<string, number> {
  const instructions = new Map<string, number>();
  for (const [, name] of toolOutput("nvdisasm", file).matchAll(
    /^\s+\/\*[\da-f]+\*\/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z\d]*)/gm,
  )) {
    instructions.set(name!, (instructions.get(name!) ?? 0) + 1);
  }
  return instructions;
}

function withCubinFile<T>(cubin: Uint8Array, read: (file: string) => T): T {
  const own = mkdtempSync(join(tmpdir(), "cubin-"));
  try {
    const file = join(own, "kernel.cubin");
    writeFileSync(file, cubin);
    return read(file);
  } finally {
    rmSync(own, { recursive: true });
  }
}
