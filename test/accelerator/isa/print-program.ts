// Program → its listing, a line an instruction: what a human reads, and what `decodeProgram` takes.
//
//   program gemm
//   buffer A i8[1024] input
//   load inputs[0] <- A[0] 16x32 stride 64 pitch 32 pad 0 0 0 0 signal compute
//   product sums[0] += inputs[0] * weights[0] for 16: 16 32 0 for 2: 0 16 256 wait load signal store
//   vector sums[0] = sums[0] max 0 for 16: 16 16 0
//   store C[0] <- sums[0] 16x16 stride 64 pitch 16 wait compute

import type { HardwareLoop, Instruction, Operation, Program, RightOperand, Tokens } from "./instruction.ts";

export const printProgram = ({ name, buffers, instructions }: Program): string =>
  [
    `program ${name}`,
    ...buffers.map(({ name, dtype, length, role }) => `buffer ${name} ${dtype}[${length}] ${role}`),
    ...instructions.map(printInstruction),
    "",
  ].join("\n");

export function printInstruction(instruction: Instruction): string {
  return `${printOperation(instruction)}${printTokens(instruction)}`;
}

function printOperation(it: Operation): string {
  switch (it.kind) {
    case "load": {
      const { above, below, left, right } = it.padding;
      const shape = `${it.rows}x${it.columns} stride ${it.stride} pitch ${it.pitch}`;
      const to = `${it.scratchpad}[${it.address}]`;
      return `load ${to} <- ${it.buffer}[${it.offset}] ${shape} pad ${above} ${below} ${left} ${right}`;
    }
    case "store": {
      const shape = `${it.rows}x${it.columns} stride ${it.stride} pitch ${it.pitch}`;
      return `store ${it.buffer}[${it.offset}] <- sums[${it.address}] ${shape}`;
    }
    case "product": {
      const value = it.resets ? "= 0" : "+= ";
      return `product sums[${it.sums}] ${value}${printFactors(it)}${printLoops(it.loops)}`;
    }
    case "vector":
      return `vector sums[${it.result}] = sums[${it.left}] ${it.op} ${printRight(it.right)}${printLoops(it.loops)}`;
  }
}

const printFactors = (it: { resets: boolean; inputs: number; weights: number }): string =>
  it.resets ? "" : `inputs[${it.inputs}] * weights[${it.weights}]`;

const printRight = (right: RightOperand): string =>
  right.kind === "sums" ? `sums[${right.address}]` : `${right.value}`;

const printLoops = (loops: readonly HardwareLoop[]): string =>
  loops.map(({ count, steps }) => ` for ${count}: ${steps.join(" ")}`).join("");

const printTokens = ({ waits, signals }: Tokens): string =>
  [...waits.map((unit) => ` wait ${unit}`), ...signals.map((unit) => ` signal ${unit}`)].join("");
