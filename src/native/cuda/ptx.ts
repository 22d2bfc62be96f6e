// PTX as it is shipped: NVIDIA's virtual machine code as text, which drivers compile for their GPU. It says the oldest version of the
// language that has its instructions, so that drivers older than the compiler take it.

import type { CudaSource } from "../../compiler/index.ts";

/** Architectures that kernels are compiled for, and the oldest PTX that has the instructions which their code may use. */
const oldestVersions: Readonly<Record<string, readonly [number, number]>> = {
  sm_80: [7, 0],
  sm_90: [7, 8],
  sm_90a: [8, 0],
};

/**
 * Architecture whose GPUs run the PTX of a source: "sm_80" by all GPUs from then on, "sm_90a" by Hopper alone. A kernel without
 * Hopper's own instructions is for all that come later, too.
 */
export const gpuArchitecture = ({ architecture, text }: Pick<CudaSource, "architecture" | "text">): string =>
  text.includes("wgmma.") ? architecture : architecture.replace(/a$/, "");

/**
 * Shortens what a compiler printed, and lowers its version where the architecture allows it.
 *
 * @example portablePtx("// NVIDIA\n.version 9.0\n.target sm_80\n…", "sm_80") // ".version 7.0\n.target sm_80\n…"
 */
export function portablePtx(text: string, architecture: string): string {
  const oldest = oldestVersions[architecture];
  const lines = text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .split("\n")
    .map((line) => line.replace(/\/\/.*$/, "").trim())
    .filter((line) => line !== "");
  return `${lines.map((line) => (oldest ? lowered(line, oldest) : line)).join("\n")}\n`;
}

function lowered(line: string, [major, minor]: readonly [number, number]): string {
  const found = /^\.version\s+(\d+)\.(\d+)$/.exec(line);
  if (!found) return line;
  const [has, also] = [Number(found[1]), Number(found[2])];
  return has > major || (has === major && also > minor) ? `.version ${major}.${minor}` : line;
}
