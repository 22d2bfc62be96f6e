// Cases of the oracle chain for AVX-512 → one boot of the emulated machine that runs them all → what was wrong.

import { type CSource, generateC, type Numerics, parametersOf, targets } from "../../src/compiler/index.ts";
import { lower } from "../../src/compiler/lower/pipeline.ts";
import { arrayAt, bytesOf } from "../../src/native/runner/arena.ts";
import { inTempDir, toolchain } from "../native/compiled.ts";
import { describeCase } from "../support/oracle-chain.ts";
import { type ChainCase, isIllegal } from "../support/random-schedule.ts";
import { firstMismatch, type Reference } from "../support/reference.ts";
import { emulate } from "./emulator.ts";
import { buildGuest, type MaskedInstruction } from "./guest-program.ts";
import { type CallResult, type GuestCall, memoryImage } from "./memory-image.ts";

export interface EmulatedReport {
  /** Kernels whose results were compared with the reference's, by operator. */
  readonly compared: Map<string, number>;
  readonly failures: string[];
  /** Masked instructions by name: in the code, and of those that ran. */
  readonly masked: Map<string, { readonly present: number; readonly ran: number }>;
}

export const newEmulatedReport = (): EmulatedReport => ({ compared: new Map(), failures: [], masked: new Map() });

interface Kernel {
  readonly it: ChainCase;
  readonly source: CSource;
}

/** Runs the cases in one boot, adding to the report. `timeoutMs` is for the emulator alone. */
export async function runEmulated(
  report: EmulatedReport,
  cases: readonly ChainCase[],
  timeoutMs: number,
): Promise<void> {
  const kernels = cases.flatMap((it) => kernelOf(report, it));
  const [fast, strict] = (["fast", "strict"] as const).map((numerics) => of(kernels, numerics));
  const inOrder = [...fast!, ...strict!];
  await inTempDir(async (folder) => {
    const sources = { fast: fast!.map(({ source }) => source), strict: strict!.map(({ source }) => source) };
    const program = await buildGuest(sources, toolchain!, folder);
    const image = memoryImage(inOrder.map(guestCall), program.code.length);
    const after = await emulate({ ...program, data: image.bytes }, folder, timeoutMs);
    image.results(after).forEach((result, at) => {
      note(report, inOrder[at]!.it, wrongCall(inOrder[at]!, result));
    });
    for (const instruction of program.masked) count(report, instruction, image.hasRun(after, instruction.address));
  });
}

const of = (kernels: readonly Kernel[], numerics: Numerics): readonly Kernel[] =>
  kernels.filter(({ it }) => it.numerics === numerics);

/** Nothing if `check` refuses the sample, as it may of few: the oracle chain counts those. */
function kernelOf({ failures }: EmulatedReport, it: ChainCase): readonly Kernel[] {
  const { scheduled, numerics } = it;
  if (isIllegal(scheduled)) return [];
  try {
    const flat = lower(scheduled, { target: targets.avx512, numerics });
    return [{ it, source: generateC(flat, targets.avx512, { numerics }) }];
  } catch (error) {
    failures.push(describeCase(it, (error as Error).message));
    return [];
  }
}

function guestCall({ it: { reference }, source }: Kernel): GuestCall {
  const inputs = reference.inputs.map((array) => ({ bytes: bytesOf(array), isOutput: false }));
  const outputs = reference.expected.map(({ sentinel }) => ({ bytes: bytesOf(sentinel), isOutput: true }));
  return { arrays: [...inputs, ...outputs], workspaceBytes: source.workspaceBytes };
}

/** What is wrong: an exception, a write beside an array, an output. */
function wrongCall({ it: { reference } }: Kernel, { trap, overrun, arrays }: CallResult): string | null {
  const names = parametersOf(reference.naive.buffers).map(({ name }) => name);
  if (trap !== null) return trap;
  if (overrun >= 0) return `${names[overrun] ?? "the workspace"}: bytes beside it were written`;
  return wrongOutputs(reference, arrays.slice(reference.inputs.length));
}

const wrongOutputs = (reference: Reference, outputs: readonly Uint8Array<ArrayBuffer>[]): string | null =>
  firstMismatch(reference, (parameter) => {
    const at = reference.expected.findIndex((each) => each.parameter.name === parameter.name);
    return arrayAt(parameter.dtype, outputs[at]!.buffer, 0, parameter.length);
  });

function note({ compared, failures }: EmulatedReport, it: ChainCase, wrong: string | null): void {
  compared.set(it.family, (compared.get(it.family) ?? 0) + 1);
  if (wrong !== null) failures.push(describeCase(it, wrong));
}

function count({ masked }: EmulatedReport, { name }: MaskedInstruction, hasRun: boolean): void {
  const { present, ran } = masked.get(name) ?? { present: 0, ran: 0 };
  masked.set(name, { present: present + 1, ran: ran + (hasRun ? 1 : 0) });
}

/** One line for the kernels of each operator, one for the masked instructions. */
export function printEmulatedReport({ compared, failures, masked }: EmulatedReport): string {
  const total = [...compared.values()].reduce((sum, each) => sum + each, 0);
  const operators = [...compared].map(([family, each]) => `${family} ${each}`);
  const instructions = [...masked].map(([name, { present, ran }]) => `${name} ${ran} of ${present}`);
  return [
    `${total} kernels emulated, ${failures.length} wrong`,
    `  ${operators.join("   ")}`,
    `  masked instructions that ran: ${instructions.join(", ")}`,
  ].join("\n");
}
