// Generated CUDA C on the CPU: texts of a round are compiled to one library by g++, with the threads, the copies and the tensor cores of
// test/native/cuda/cpu-threads.h, and called. What four warps do together is missing there.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import koffi from "koffi";
import type { CudaSource } from "../../../src/compiler/index.ts";
import { packageFile } from "../../../src/native/machine/package-file.ts";
import type { KernelArray } from "../../../src/native/runner/protocol.ts";
import { firstMismatch, type Reference } from "../../support/reference.ts";

const header = packageFile("test/native/cuda/cpu-threads.h");

/** Elements on both sides of an array that a kernel leaves alone. */
const zone = 64;

/** Says whether the CPU can run a text. */
export const runsOnCpu = ({ text }: CudaSource): boolean => !text.includes("wgmma");

/** Helpers that are one instruction of a GPU, and the memory of groups, stand in the header. */
const forCpu = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !(line.startsWith("__device__") && line.includes("asm")) && !line.includes("extern __shared__"))
    .join("\n")
    .replaceAll('extern "C" __global__', "static __global__");

/** A kernel in a namespace of its own, and the function that launches it on arrays, those of its scratch memory at the end. */
function programOf({ text, launches, parameters, scratch }: CudaSource, at: number): string {
  const count = parameters.length + scratch.length;
  const pointers = Array.from({ length: count }, (_, place) => `&arrays[${place}]`).join(", ");
  const runs = launches.map(
    ({ entry, grid, group }) =>
      `{ const unsigned g[] = {${grid}}, b[] = {${group}}; uk_all(kernel_${at}::${entry}, g, b, places); }`,
  );
  return `namespace kernel_${at} {
${forCpu(text)}
}
extern "C" void run_${at}(void **arrays) {
  void *places[] = {${pointers}};
  ${runs.join("\n  ")}
}
`;
}

interface RedZoned {
  /** With the zones. */
  readonly all: KernelArray;
  readonly own: KernelArray;
}

function redZoned(values: KernelArray): RedZoned {
  const all = new (values.constructor as Uint8ArrayConstructor)(values.length + 2 * zone) as KernelArray;
  new Uint8Array(all.buffer).fill(0xa5);
  const own = all.subarray(zone, zone + values.length) as KernelArray;
  own.set(values as never);
  return { all, own };
}

/** Says whether something was written beside an array. */
function isTouched({ all, own }: RedZoned): boolean {
  const bytes = new Uint8Array(all.buffer);
  const [start, end] = [own.byteOffset, own.byteOffset + own.byteLength];
  return bytes.some((byte, at) => (at < start || at >= end) && byte !== 0xa5);
}

/** Returns what is wrong with each kernel's results; null: nothing. */
export function wrongOnCpu(reference: Reference, sources: readonly CudaSource[]): readonly (string | null)[] {
  const folder = mkdtempSync(join(tmpdir(), "cuda-on-cpu-"));
  const [text, file] = [join(folder, "round.cpp"), join(folder, "round.so")];
  try {
    writeFileSync(text, `#include "${header}"\n${sources.map(programOf).join("\n")}`);
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
    return sources.map((source, at) => wrongKernel(reference, source, library.func(`void run_${at}(void **arrays)`)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function wrongKernel(reference: Reference, { scratch }: CudaSource, run: (arrays: unknown) => void): string | null {
  const outputs = reference.expected.map(({ sentinel }) => redZoned(sentinel));
  const inputs = reference.inputs.map(redZoned);
  const own = scratch.map(({ bytes }) => redZoned(new Uint8Array(bytes).fill(0xff)));
  const all = [...inputs, ...outputs, ...own];
  run(BigUint64Array.from(all, (array) => koffi.address(array.own)));
  if (all.some(isTouched)) return "it wrote outside of its arrays";
  return firstMismatch(
    reference,
    ({ name }) => outputs[reference.expected.findIndex((it) => it.parameter.name === name)]!.own,
  );
}
