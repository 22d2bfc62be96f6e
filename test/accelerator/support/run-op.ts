// For the tests: an operator and a schedule → its program, and what is wrong with what the simulator makes of it.

import {
  type ComputeDef,
  fromCompute,
  invariant,
  printDiagnostic,
  replay,
  type Trace,
} from "../../../src/compiler/index.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { firstMismatch, type Reference, referenceOf } from "../../support/reference.ts";
import { generateProgram } from "../generate/generate-program.ts";
import { decodeProgram } from "../isa/decode-program.ts";
import type { Program } from "../isa/instruction.ts";
import { printProgram } from "../isa/print-program.ts";
import { type Machine, vta } from "../machine.ts";
import { passes } from "../passes.ts";
import type { Elements } from "../simulator/memory.ts";
import { type Simulated, simulate } from "../simulator/simulate.ts";
import { vtaTarget } from "../target.ts";

export function programOf(op: ComputeDef, trace: Trace = [], machine: Machine = vta): Program {
  const scheduled = replay(fromCompute(op), trace);
  if (scheduled.kind === "illegal") throw new Error(printDiagnostic(scheduled.diagnostic));
  const context = { target: vtaTarget, numerics: "strict" } as const;
  return generateProgram(
    passes.reduce((func, pass) => pass.run(func, context), scheduled.nest),
    machine,
  );
}

export interface Run extends Simulated {
  /** Mistake in the results; null: they are right. */
  readonly mistake: string | null;
}

/** Runs the listing of a program, as the measuring process does, on the inputs of a reference. */
export function runProgram(program: Program, { op, inputs, expected }: Reference, machine: Machine = vta): Run {
  const memory = new Map(op.inputs.map(({ name }, at) => [name, inputs[at] as Elements]));
  for (const { name, dtype, length, role } of program.buffers) {
    if (role === "output") memory.set(name, dtype === "i8" ? new Int8Array(length) : new Int32Array(length));
  }
  const simulated = simulate(decodeProgram(printProgram(program)), machine, memory);
  const outputs = ({ name }: { readonly name: string }): Elements => {
    const found = memory.get(name);
    invariant(found, `there is no output ${name}`);
    return found;
  };
  return { ...simulated, mistake: firstMismatch({ op, inputs, expected } as Reference, outputs) };
}

/** Says what is wrong with an operator's results under a schedule; null: nothing. */
export const mistakeIn = (op: ComputeDef, trace: Trace = []): string | null =>
  runProgram(programOf(op, trace), referenceOf(op, createRng(1))).mistake;
