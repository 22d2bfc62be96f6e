// Listing → program. A line that is no instruction is an error with its number: listings come from files.

import {
  type HardwareLoop,
  type Instruction,
  type MemoryBuffer,
  noPadding,
  type Program,
  type Rectangle,
  type Scratchpad,
  type Tokens,
  type Unit,
  units,
  type VectorOp,
  vectorOps,
} from "./instruction.ts";

export function decodeProgram(listing: string): Program {
  const lines = listing.split("\n");
  const [first = "", ...rest] = lines;
  const name = /^program (\w+)$/.exec(first)?.[1];
  if (name === undefined) throw new Error(`line 1: a listing begins with "program" and a name, not with ${first}`);
  const buffers: MemoryBuffer[] = [];
  const instructions: Instruction[] = [];
  for (const [at, line] of rest.entries()) {
    if (line === "") continue;
    const buffer = decodeBuffer(line);
    const instruction = buffer ? null : decodeInstruction(line);
    if (!buffer && !instruction) throw new Error(`line ${at + 2}: ${line} is no instruction`);
    if (buffer) buffers.push(buffer);
    if (instruction) instructions.push(instruction);
  }
  return { name, buffers, instructions };
}

function decodeBuffer(line: string): MemoryBuffer | null {
  const found = /^buffer (\S+) (i8|i32)\[(\d+)\] (input|output|local)$/.exec(line);
  if (!found) return null;
  const [, name, dtype, length, role] = found;
  return { name, dtype, length: Number(length), role } as MemoryBuffer;
}

function decodeInstruction(line: string): Instruction | null {
  const [, operation = "", waits = "", signals = ""] = tokensAtEnd.exec(line) ?? [];
  const tokens: Tokens = { waits: unitsIn(waits), signals: unitsIn(signals) };
  return decodeLoad(operation, tokens) ?? decodeStore(operation, tokens) ?? decodeComputing(operation, tokens);
}

const unit = units.join("|");
const tokensAtEnd = new RegExp(`^(.*?)((?: wait (?:${unit}))*)((?: signal (?:${unit}))*)$`);

const unitsIn = (text: string): readonly Unit[] => units.filter((it) => text.includes(` ${it}`));

const shape = String.raw`(\d+)x(\d+) stride (-?\d+) pitch (\d+)`;

function decodeLoad(text: string, tokens: Tokens): Instruction | null {
  const head = String.raw`^load (inputs|weights|sums)\[(\d+)\] <- (\S+)\[(\d+)\]`;
  const found = new RegExp(String.raw`${head} ${shape} pad (\d+) (\d+) (\d+) (\d+)$`).exec(text);
  if (!found) return null;
  const [, scratchpad, address, buffer = "", offset, ...numbers] = found;
  const [rows, columns, stride, pitch, above, below, left, right] = numbers.map(Number);
  const place = { scratchpad: scratchpad as Scratchpad, address: Number(address), buffer, offset: Number(offset) };
  const rectangle = { ...place, rows, columns, stride, pitch } as Rectangle;
  return {
    kind: "load",
    ...rectangle,
    padding: { ...noPadding, above, below, left, right } as typeof noPadding,
    ...tokens,
  };
}

function decodeStore(text: string, tokens: Tokens): Instruction | null {
  const found = new RegExp(String.raw`^store (\S+)\[(\d+)\] <- sums\[(\d+)\] ${shape}$`).exec(text);
  if (!found) return null;
  const [, buffer = "", ...numbers] = found;
  const [offset, address, rows, columns, stride, pitch] = numbers.map(Number);
  const rectangle = { buffer, offset, scratchpad: "sums", address, rows, columns, stride, pitch };
  return { kind: "store", ...(rectangle as Rectangle & { scratchpad: "sums" }), ...tokens };
}

function decodeComputing(text: string, tokens: Tokens): Instruction | null {
  const [, operation = "", loopText = ""] = /^(.*?)((?: for \d+: [-\d ]+)*)$/.exec(text) ?? [];
  const loops = loopsIn(loopText);
  const factors = /^product sums\[(\d+)\] (?:= (0)|\+= inputs\[(\d+)\] \* weights\[(\d+)\])$/.exec(operation);
  if (factors) {
    const [sums, zero, inputs, weights] = factors.slice(1).map((it) => Number(it ?? 0)) as [
      number,
      number,
      number,
      number,
    ];
    const resets = factors[2] !== undefined;
    return { kind: "product", resets, sums: sums + zero, inputs, weights, loops, ...tokens };
  }
  const vector = /^vector sums\[(\d+)\] = sums\[(\d+)\] (\w+) (?:sums\[(\d+)\]|(-?\d+))$/.exec(operation);
  const op = vectorOps.find((it) => it === vector?.[3]);
  return vector && op ? decodeVector(vector, op, loops, tokens) : null;
}

function decodeVector(
  found: RegExpExecArray,
  op: VectorOp,
  loops: readonly HardwareLoop[],
  tokens: Tokens,
): Instruction {
  const [, result, left, , address, value] = found;
  const right =
    address === undefined
      ? ({ kind: "immediate", value: Number(value) } as const)
      : ({ kind: "sums", address: Number(address) } as const);
  return { kind: "vector", op, result: Number(result), left: Number(left), right, loops, ...tokens };
}

const loopsIn = (text: string): readonly HardwareLoop[] =>
  [...text.matchAll(/ for (\d+): ((?:-?\d+ ?)+?)(?= for|$)/g)].map(([, count, steps = ""]) => ({
    count: Number(count),
    steps: steps.trim().split(" ").map(Number),
  }));
