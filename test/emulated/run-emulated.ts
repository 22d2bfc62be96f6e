// Kernels for AVX-512 → one boot of the emulated machine that runs them all → what was wrong, and which instructions ran.

import type { CSource, Numerics } from "../../src/compiler/index.ts";
import { arrayAt } from "../../src/native/load/array-at.ts";
import { bytesOf } from "../../src/native/runner/arena.ts";
import type { KernelArray } from "../../src/native/runner/protocol.ts";
import { inTempDir, toolchain } from "../native/compiled.ts";
import { type CpuModel, emulate } from "./emulator.ts";
import { buildGuest, type Instruction } from "./guest-program.ts";
import { type CallResult, type GuestCall, memoryImage } from "./memory-image.ts";

export interface EmulatedKernel {
  /** Family that it is counted in. */
  readonly family: string;
  readonly source: CSource;
  readonly inputs: readonly KernelArray[];
  /** Contents of the outputs before the run. */
  readonly sentinels: readonly KernelArray[];
  /** Returns the mistake in the outputs; null: they are right. */
  wrong(outputs: readonly KernelArray[]): string | null;
  /** The text, then all that it takes to make the kernel again and read it. */
  describe(text: string): string;
}

export interface EmulatedReport {
  /** Kernels that were run, by family. */
  readonly ran: Map<string, number>;
  readonly failures: string[];
  readonly instructions: Tally;
  /** All, by name. */
  readonly named: Map<string, Tally>;
  /** Instructions with a mask register, by name. */
  readonly masked: Map<string, Tally>;
}

interface Tally {
  present: number;
  ran: number;
}

/** Time for one boot. With the trap after it an emulated instruction takes some 100 ns. */
const timeoutMs = 600_000;

/** Runs the kernels in one boot. */
export async function runEmulated(
  kernels: readonly EmulatedKernel[],
  model: CpuModel = "corei7_skylake_x",
): Promise<EmulatedReport> {
  const of = (numerics: Numerics) => kernels.filter(({ source }) => source.numerics === numerics);
  const [fast, strict] = [of("fast"), of("strict")];
  const inOrder = [...fast, ...strict];
  return inTempDir(async (folder) => {
    const program = await buildGuest({ fast: fast.map(sourceOf), strict: strict.map(sourceOf) }, toolchain!, folder);
    const image = memoryImage(inOrder.map(guestCall), program.code.length);
    const after = await emulate({ ...program, data: image.bytes }, model, folder, timeoutMs);
    const text = (at: number): string => program.instructions.find(({ address }) => address === at)?.text ?? "no code";
    const wrong = image.results(after).map((result, at) => wrongCall(inOrder[at]!, result, text));
    return reportOf(inOrder, wrong, program.instructions, ({ address }) => image.hasRun(after, address));
  });
}

const sourceOf = ({ source }: EmulatedKernel): CSource => source;

function guestCall({ source, inputs, sentinels }: EmulatedKernel): GuestCall {
  const arrays = [
    ...inputs.map((array) => ({ bytes: bytesOf(array), isOutput: false })),
    ...sentinels.map((array) => ({ bytes: bytesOf(array), isOutput: true })),
  ];
  return { arrays, workspaceBytes: source.workspaceBytes };
}

/** Returns the mistake of a call: an exception, a write beside an array, a wrong output. */
function wrongCall(
  { source, inputs, wrong }: EmulatedKernel,
  { trap, overrun, arrays }: CallResult,
  instructionAt: (address: number) => string,
): string | null {
  const { parameters } = source;
  if (trap) return `${trap.what}: ${instructionAt(trap.address)}`;
  if (overrun >= 0) return `${parameters[overrun]?.name ?? "the workspace"}: bytes beside it were written`;
  const all = parameters.map(({ dtype, length }, at) => arrayAt(dtype, arrays[at]!.buffer, 0, length));
  return wrong(all.slice(inputs.length));
}

function reportOf(
  kernels: readonly EmulatedKernel[],
  wrong: readonly (string | null)[],
  instructions: readonly Instruction[],
  hasRun: (instruction: Instruction) => boolean,
): EmulatedReport {
  const ran = new Map<string, number>();
  for (const { family } of kernels) ran.set(family, (ran.get(family) ?? 0) + 1);
  const all = { present: 0, ran: 0 };
  const masked = new Map<string, Tally>();
  const named = new Map<string, Tally>();
  for (const instruction of instructions) {
    const own = masked.get(instruction.name) ?? { present: 0, ran: 0 };
    if (instruction.isMasked) masked.set(instruction.name, own);
    const same = named.get(instruction.name) ?? { present: 0, ran: 0 };
    named.set(instruction.name, same);
    for (const tally of [all, own, same]) {
      tally.present += 1;
      tally.ran += hasRun(instruction) ? 1 : 0;
    }
  }
  const failures = kernels.flatMap(({ describe }, at) => (wrong[at] === null ? [] : [describe(wrong[at]!)]));
  return { ran, failures, instructions: all, named, masked };
}

/** A line for the kernels, one for the masked instructions. */
export function printEmulatedReport({ ran, failures, instructions, masked }: EmulatedReport): string {
  const total = [...ran.values()].reduce((sum, each) => sum + each, 0);
  const families = [...ran].map(([family, count]) => `${family} ${count}`);
  const of = ({ present, ran }: Tally): string => `${ran} of ${present}`;
  const names = [...masked].sort(([a], [b]) => a.localeCompare(b)).map(([name, tally]) => `${name} ${of(tally)}`);
  return [
    `${total} kernels, ${failures.length} wrong: ${families.join(", ")}`,
    `  instructions that ran: ${of(instructions)}; of those with a mask: ${names.join(", ")}`,
  ].join("\n");
}
