// Kernel texts → one C file: the kernels, and the table in which the addon looks them up.

import { byteSize, type CSource, type DType, invariant, type KernelParameter } from "../../compiler/index.ts";

/** Value of napi_typedarray_type for the arrays that hold each dtype. */
const arrayType: Readonly<Record<DType, number>> = {
  i8: 0,
  u8: 1,
  bool: 1,
  i16: 3,
  f16: 4,
  bf16: 4,
  i32: 5,
  f32: 7,
  f64: 8,
};

/** Most parameters of a kernel: UK_MAX_ARGUMENTS of kernel-table.h. */
const mostParameters = 64;

export function translationUnit(sources: readonly CSource[]): string {
  return [
    ...sources.map(withOwnSymbol),
    '#include "kernel-table.h"\n',
    ...sources.map(parameterTable),
    `const struct uk_kernel uk_kernels[] = {\n${sources.map(kernelRow).join("")}};\n`,
    `const size_t uk_kernel_count = ${sources.length};\n`,
  ].join("");
}

/**
 * Candidates for one operator share a name, and an operator may be called `double`: each kernel becomes a static function
 * with a symbol by its place.
 */
function withOwnSymbol({ name, text, threads }: CSource, at: number): string {
  const pieces = text.split(`void ${name}(void *const *args, void *workspace`);
  invariant(pieces.length > 1, `the text of ${name} does not define it`);
  const own = pieces.join(`static void uk_kernel_${at}(void *const *args, void *workspace`);
  return threads > 1 ? own.replaceAll(new RegExp(`\\b${name}_part(?=\\d)`, "g"), `uk_kernel_${at}_part`) : own;
}

function parameterTable({ name, parameters }: CSource, at: number): string {
  invariant(parameters.length <= mostParameters, `${name} has more than ${mostParameters} parameters`);
  return `static const struct uk_parameter uk_parameters_${at}[] = {\n${parameters.map(parameterRow).join("")}};\n`;
}

const parameterRow = ({ name, dtype, length }: KernelParameter): string =>
  `  {${JSON.stringify(name)}, ${arrayType[dtype]}, ${length}, ${length * byteSize[dtype]}},\n`;

function kernelRow({ name, parameters, workspaceBytes, threads, features }: CSource, at: number): string {
  const inputs = parameters.filter(({ role }) => role === "input").length;
  const table = `uk_parameters_${at}, ${parameters.length}, ${inputs}`;
  const hasTiles = features.includes("amx-tile") ? 1 : 0;
  const run = threads > 1 ? `NULL, uk_kernel_${at}` : `uk_kernel_${at}, NULL`;
  return `  {"${name}", ${run}, ${table}, ${workspaceBytes}, ${hasTiles}},\n`;
}
