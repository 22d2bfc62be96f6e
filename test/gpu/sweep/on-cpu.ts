// Kernels of GPUs as C++ on the CPU: a round of them is compiled to one library by g++, with a header of test/native/cuda, and called.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import koffi from "koffi";
import type { CudaSource, TypedArray } from "../../../src/compiler/index.ts";
import { packageFile } from "../../../src/native/machine/package-file.ts";
import { bytesOf, createArena } from "../../../src/native/runner/arena.ts";
import { firstMismatch, type Reference } from "../../support/reference.ts";

/** What a kernel is called with, and when. */
export type KernelLaunches = Pick<CudaSource, "launches" | "parameters" | "scratch">;

/** A kernel, and the C++ of the functions that it launches. */
export interface CpuKernel extends KernelLaunches {
  readonly functions: string;
}

/** Runs a kernel on arrays, those of its scratch memory at the end. Returns why a GPU would have refused it; null: it would not. */
export type RunKernel = (arrays: readonly TypedArray[]) => string | null;

/** A kernel in a namespace of its own, and the function that launches it. */
function programOf({ functions, launches, parameters, scratch }: CpuKernel, at: number): string {
  const count = parameters.length + scratch.length;
  const pointers = Array.from({ length: count }, (_, place) => `&arrays[${place}]`).join(", ");
  const runs = launches.map(({ entry, grid, group, cluster = 1, maps = [] }) => {
    const mapped = maps.map(
      ({ array, elementBytes, columns, rows, box }) =>
        `{(const unsigned char *)arrays[${array}], ${elementBytes}, ${columns}, ${rows}, {${box}}}`,
    );
    const own = `alignas(64) uk_argument maps[] = {${[...mapped, "{}"].join(", ")}};`;
    const all = [
      ...Array.from({ length: count }, (_, place) => `places[${place}]`),
      ...maps.map((_, k) => `&maps[${k}]`),
    ];
    const given = `void *all[] = {${all.join(", ")}};`;
    return `{ const unsigned g[] = {${grid}}, b[] = {${group}}; ${own} ${given} uk_all(kernel_${at}::${entry}, g, b, all, ${cluster}); }`;
  });
  return `namespace kernel_${at} {
${functions}
}
extern "C" const char *run_${at}(void **arrays) {
  void *places[] = {${pointers}};
  uk_refused = 0;
  ${runs.join("\n  ")}
  return uk_refused;
}
`;
}

/** @param header file of test/native/cuda that the functions are written for */
export function compileForCpu(header: string, kernels: readonly CpuKernel[]): readonly RunKernel[] {
  const folder = mkdtempSync(join(tmpdir(), "on-cpu-"));
  const [text, file] = [join(folder, "round.cpp"), join(folder, "round.so")];
  try {
    const include = `#include "${packageFile(`test/native/cuda/${header}`)}"`;
    writeFileSync(text, `${include}\n${kernels.map(programOf).join("\n")}`);
    const flags = [
      "-std=c++17",
      "-w",
      "-O1",
      "-fno-strict-aliasing",
      "-fwrapv",
      "-ffp-contract=off",
      "-shared",
      "-fPIC",
    ];
    const { status, stderr } = spawnSync("g++", [...flags, "-o", file, text], { encoding: "utf8" });
    if (status !== 0) throw new Error(`g++: ${stderr.slice(0, 2000)}`);
    const library = koffi.load(file);
    return kernels.map((_, at) => {
      const run = library.func(`const char *run_${at}(void **arrays)`);
      return (arrays) => run(BigUint64Array.from(arrays, (array) => koffi.address(array))) as string | null;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns what is wrong with each kernel's results; null: nothing. */
export const wrongKernels = (
  reference: Reference,
  header: string,
  kernels: readonly CpuKernel[],
): readonly (string | null)[] =>
  compileForCpu(header, kernels).map((run, at) => wrongKernel(reference, kernels[at]!, run));

function wrongKernel(reference: Reference, { parameters, scratch }: KernelLaunches, run: RunKernel): string | null {
  const own = scratch.map(
    ({ name, bytes }) => ({ name, dtype: "u8", shape: [bytes], length: bytes, role: "output" }) as const,
  );
  const { arrays, overrun } = createArena([...parameters, ...own]);
  const start = [...reference.inputs, ...reference.expected.map(({ sentinel }) => sentinel)];
  for (const [at, array] of arrays.entries()) {
    // Scratch memory begins with what no kernel stores.
    const values = start[at];
    if (values) bytesOf(array).set(bytesOf(values));
    else bytesOf(array).fill(0xff);
  }
  const refused = run(arrays);
  if (refused !== null) return refused;
  const touched = overrun();
  if (touched !== null) return `it wrote outside of ${touched}`;
  return firstMismatch(reference, ({ name }) => arrays[parameters.findIndex((it) => it.name === name)]!);
}
