// Generated CUDA C on the CPU: texts of a round are compiled to one library by g++, with the threads, the copies and the tensor cores of
// test/native/cuda/cpu-threads.h, and called.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import koffi from "koffi";
import type { CudaSource } from "../../../src/compiler/index.ts";
import { packageFile } from "../../../src/native/machine/package-file.ts";
import { bytesOf, createArena } from "../../../src/native/runner/arena.ts";
import { firstMismatch, type Reference } from "../../support/reference.ts";

const header = packageFile("test/native/cuda/cpu-threads.h");

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
  const runs = launches.map(({ entry, grid, group, maps = [] }) => {
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
    return `{ const unsigned g[] = {${grid}}, b[] = {${group}}; ${own} ${given} uk_all(kernel_${at}::${entry}, g, b, all); }`;
  });
  return `namespace kernel_${at} {
${forCpu(text)}
}
extern "C" const char *run_${at}(void **arrays) {
  void *places[] = {${pointers}};
  uk_refused = 0;
  ${runs.join("\n  ")}
  return uk_refused;
}
`;
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
    return sources.map((source, at) =>
      wrongKernel(reference, source, library.func(`const char *run_${at}(void **arrays)`)),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function wrongKernel(
  reference: Reference,
  { parameters, scratch }: CudaSource,
  run: (arrays: unknown) => string | null,
): string | null {
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
  const refused = run(BigUint64Array.from(arrays, (array) => koffi.address(array)));
  if (refused !== null) return refused;
  const touched = overrun();
  if (touched !== null) return `it wrote outside of ${touched}`;
  return firstMismatch(reference, ({ name }) => arrays[parameters.findIndex((it) => it.name === name)]!);
}
