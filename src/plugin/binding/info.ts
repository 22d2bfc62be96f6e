// The facts of a kernel as they stand in an emitted module: `tensors` and `info`.

import { arrayTypes } from "../../compiler/index.ts";
import type { CompiledKernel } from "../compiled-kernel.ts";

/** Infinity and NaN have no JSON; none of our facts is either. */
const json = (value: unknown): string => JSON.stringify(value);

/** One object a line: name, dtype, shape, role, length, array. */
export function tensorsText(kernel: CompiledKernel): string {
  const rows = kernel.tensors.map(({ name, dtype, shape, role, length }) =>
    json({ name, dtype, shape, role, length, array: arrayTypes[dtype].name }),
  );
  return `  const tensors = [\n${rows.map((row) => `    ${row},\n`).join("")}  ];\n`;
}

/** Text that defines `info`; expects `tensors`, `peek`, `reason` in scope. */
export function infoText(kernel: CompiledKernel): string {
  const { op, parameters, target, numerics, trace, gflops, key, errorBound } = kernel;
  return `  const info = Object.freeze({
    op: ${json(op)},
    parameters: ${json(parameters)},
    target: ${json(target)},
    numerics: ${json(numerics)},
    tensors: tensors.map(({ name, dtype, shape, role }) => ({ name, dtype, shape, role })),
    schedule: ${json(trace)},
    gflops: ${json(gflops)},
    cacheKey: ${json(key)},
    errorBound: ${json(errorBound)},
    get twin() {
      return peek()?.kind ?? null;
    },
    get twinReason() {
      peek();
      return reason;
    },
  });
`;
}
