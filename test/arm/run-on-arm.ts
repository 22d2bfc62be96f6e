// Kernels for ARM → one addon for each set of features and numerics, one run of emulated Node that calls them all → what was wrong.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { arrayTypes, byteSize, type CSource } from "../../src/compiler/index.ts";
import { buildNative } from "../../src/native/addon/build.ts";
import { arrayAt } from "../../src/native/load/array-at.ts";
import { bytesOf } from "../../src/native/runner/arena.ts";
import type { EmulatedKernel } from "../emulated/run-emulated.ts";
import { inTempDir } from "../native/compiled.ts";
import { armToolchain, runArmNode } from "./arm-node.ts";

const script = fileURLToPath(new URL("call-kernels.mjs", import.meta.url));
const timeoutMs = 600_000;

/** Bytes before and behind each array, which no kernel may touch. */
const zoneBytes = 64;
const zoneByte = 0xcd;

interface PlacedArray {
  readonly name: string;
  readonly dtype: CSource["parameters"][number]["dtype"];
  readonly offset: number;
  readonly length: number;
  /** Name of the typed array: "Float32Array". */
  readonly type: string;
}

/** Returns descriptions of the kernels that were wrong, each with the mistake. */
export const wrongOnArm = async (kernels: readonly EmulatedKernel[]): Promise<readonly string[]> =>
  (await wrongInBatches([kernels]))[0]!;

/** The same for each batch of kernels, in one run for all of them: it takes longer to start than to call a hundred kernels. */
export const wrongInBatches = (
  batches: readonly (readonly EmulatedKernel[])[],
): Promise<readonly (readonly string[])[]> =>
  inTempDir(async (folder) => {
    const kernels = batches.flat();
    const groups = [...new Set(kernels.map(({ source }) => groupOf(source)))];
    const members = groups.map((group) => kernels.filter(({ source }) => groupOf(source) === group));
    const addons: string[] = [];
    for (const group of members)
      addons.push(
        await build(
          group.map(({ source }) => source),
          folder,
        ),
      );
    const { bytes, places } = memoryOf(kernels);
    const calls = kernels.map((kernel, at) => {
      const addon = groups.indexOf(groupOf(kernel.source));
      return { addon, index: members[addon]!.indexOf(kernel), arrays: places[at]! };
    });
    const [plan, memory] = [join(folder, "calls.json"), join(folder, "memory.bin")];
    writeFileSync(plan, JSON.stringify({ addons, calls }));
    writeFileSync(memory, bytes);
    const { status, stderr } = await runArmNode([script, plan, memory]);
    if (status !== 0) throw new Error(`Node on ARM ended with ${status}: ${stderr.slice(0, 2000)}`);
    const after = new Uint8Array(readFileSync(memory));
    const described = kernels.map((kernel, at) => {
      const wrong = wrongCall(kernel, places[at]!, after);
      return wrong === null ? null : kernel.describe(wrong);
    });
    const left = [...described];
    return batches.map(({ length }) => left.splice(0, length).filter((text) => text !== null));
  });

const groupOf = ({ features, numerics }: CSource): string => `${features.join()} ${numerics}`;

async function build(sources: readonly CSource[], outDir: string): Promise<string> {
  const built = await buildNative(sources, { outDir, toolchain: armToolchain!, timeoutMs });
  if (built.kind === "build-failed") throw new Error(built.reason);
  return built.path;
}

/** One block of memory for the arrays of all kernels, outputs with their sentinels in them. */
function memoryOf(kernels: readonly EmulatedKernel[]) {
  let end = 0;
  const places = kernels.map(({ source }) =>
    source.parameters.map(({ name, dtype, length }): PlacedArray => {
      const offset = Math.ceil((end + zoneBytes) / 64) * 64;
      end = offset + length * byteSize[dtype] + zoneBytes;
      return { name, dtype, offset, length, type: arrayTypes[dtype].name };
    }),
  );
  const bytes = new Uint8Array(end).fill(zoneByte);
  for (const [kernel, { inputs, sentinels }] of kernels.entries())
    for (const [at, array] of [...inputs, ...sentinels].entries())
      bytes.set(bytesOf(array), places[kernel]![at]!.offset);
  return { bytes, places };
}

/** Returns the mistake of a call: a write beside an array, a wrong output. */
function wrongCall(
  { source, inputs, wrong }: EmulatedKernel,
  places: readonly PlacedArray[],
  after: Uint8Array,
): string | null {
  const isWhole = (from: number): boolean => after.subarray(from, from + zoneBytes).every((byte) => byte === zoneByte);
  const overrun = places.find(
    ({ dtype, offset, length }) => !isWhole(offset - zoneBytes) || !isWhole(offset + length * byteSize[dtype]),
  );
  if (overrun) return `${overrun.name}: bytes beside it were written`;
  const all = source.parameters.map(({ dtype }, at) =>
    arrayAt(dtype, after.slice(places[at]!.offset).buffer, 0, places[at]!.length),
  );
  return wrong(all.slice(inputs.length));
}
