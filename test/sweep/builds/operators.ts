// Operators of drawn builds: tiny ones of the library. The text of their files, a program that calls the kernel, and what the reference
// interpreter makes of the same inputs, which are whole numbers.

import {
  arrayTypes,
  type ComputeDef,
  evaluate,
  instantiate,
  kernelParameters,
  opLibrary,
} from "../../../src/compiler/index.ts";
import type { BuildCase } from "./dimensions.ts";

interface Operator {
  /** Text of the operator's file. */
  readonly text: string;
  readonly op: ComputeDef;
}

/** Base name of the operator's file, and so the operator's name. */
export const operatorName = "tiny";
export const operatorFile = `${operatorName}.op.ts`;

type LibraryName = "gemm" | "scan" | "maxPool2d";

function fromLibrary(name: LibraryName, parameters: object): Operator {
  const make = opLibrary[name] as (given: object) => Parameters<typeof instantiate>[0];
  const text = `import { ${name} } from "unplugin-kernel/ops";\nexport default ${name}(${JSON.stringify(parameters)});\n`;
  return { text, op: instantiate(make(parameters), {}, operatorName) };
}

export const operators: Readonly<Record<BuildCase["operator"], Operator>> = {
  gemm: fromLibrary("gemm", { M: 4, N: 16, K: 8 }),
  bytes: fromLibrary("gemm", { M: 3, N: 8, K: 8, dtype: "u8", dtypeB: "i8" }),
  scan: fromLibrary("scan", { M: 3, N: 20 }),
  pool: fromLibrary("maxPool2d", { N: 1, H: 4, W: 4, C: 8, size: 2 }),
};

/** Rounds of inputs that a program calls its kernel with. */
const rounds = 2;

const valueText = "((at * 7 + round * 5 + input * 3) % 11)";
const valueAt = (at: number, round: number, input: number): number => (at * 7 + round * 5 + input * 3) % 11;

/** What a program prints of its kernel. */
export interface Printed {
  readonly twin: string;
  readonly gflops: number | null;
  /** Outputs of each round, one behind the other. */
  readonly results: readonly (readonly number[])[];
  /** Whether all elements around the arrays, and the inputs, are what they were. */
  readonly intact: boolean;
}

/** A program that calls the kernel on arrays with sentinels around them, and prints what it finds. */
export function programText({ op }: Operator, target: string): string {
  const arrays = kernelParameters(op).map(({ dtype, length, role }) => ({
    type: arrayTypes[dtype].name,
    length,
    isInput: role === "input",
  }));
  return `
import kernel from "./${operatorFile}?tune=${target}";
const arrays = ${JSON.stringify(arrays)};
const guard = 8;
const results = [];
let intact = true;
for (let round = 0; round < ${rounds}; round++) {
  const made = arrays.map(({ type, length, isInput }, input) => {
    const whole = new globalThis[type](length + 2 * guard).fill(77);
    if (isInput) for (let at = 0; at < length; at++) whole[guard + at] = ${valueText};
    return { whole, before: whole.slice(), isInput, length, part: whole.subarray(guard, guard + length) };
  });
  kernel(...made.map(({ part }) => part));
  for (const { whole, before, isInput, length } of made)
    for (const [at, value] of whole.entries())
      if ((isInput || at < guard || at >= guard + length) && value !== before[at]) intact = false;
  results.push(made.filter(({ isInput }) => !isInput).flatMap(({ part }) => [...part]));
}
console.log(JSON.stringify({ twin: kernel.info.twin, gflops: kernel.info.gflops, results, intact }));
`;
}

/** What the program has to print of its results. */
export function rightResults({ op }: Operator): Printed["results"] {
  return Array.from({ length: rounds }, (_, round) => {
    const inputs = op.inputs.map(({ name, dtype, shape }, input) => {
      const length = shape.reduce((product, extent) => product * extent, 1);
      return [name, new arrayTypes[dtype](length).map((_, at) => valueAt(at, round, input))] as const;
    });
    const outputs = evaluate(op, Object.fromEntries(inputs));
    return op.outputs.flatMap((name) => [...(outputs[name] as Iterable<number>)]);
  });
}
