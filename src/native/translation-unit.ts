// Kernel texts → one C file: the kernels, the table that the addon looks them up in, and the addon itself.

import { byteSize, type CSource, type DType, invariant, type KernelParameter } from "../compiler/index.ts";

/** napi_typedarray_type of the arrays that hold each dtype. */
const arrayType: Readonly<Record<DType, string>> = {
  f64: "napi_float64_array",
  f32: "napi_float32_array",
  f16: "napi_uint16_array",
  bf16: "napi_uint16_array",
  i32: "napi_int32_array",
  i16: "napi_int16_array",
  i8: "napi_int8_array",
  u8: "napi_uint8_array",
  bool: "napi_uint8_array",
};

export function translationUnit(sources: readonly CSource[]): string {
  const kernels = sources.map(withOwnSymbol);
  const most = Math.max(1, ...sources.map(({ parameters }) => parameters.length));
  return [
    ...kernels,
    "#include <node_api.h>\n",
    `#define UK_KERNEL_COUNT ${sources.length}\n#define UK_MAX_ARGUMENTS ${most}\n`,
    tableTypes,
    ...sources.map(parameterTable),
    `static const struct uk_kernel uk_kernels[] = {\n${sources.map(kernelRow).join("")}};\n`,
    '#include "addon.c"\n',
  ].join("");
}

/**
 * Candidates for one operator share a name, and an operator may be called `double`: each kernel becomes a static function
 * with a symbol by its place.
 */
function withOwnSymbol({ name, text }: CSource, at: number): string {
  const parts = text.split(`void ${name}(void *const *args, void *workspace)`);
  invariant(parts.length > 1, `the text of ${name} does not define it`);
  return parts.join(`static void uk_kernel_${at}(void *const *args, void *workspace)`);
}

const tableTypes = `struct uk_parameter {
  const char *name;
  int type;
  size_t length, bytes;
};
struct uk_kernel {
  const char *name;
  void (*run)(void *const *args, void *workspace);
  const struct uk_parameter *parameters;
  size_t parameter_count, input_count, workspace_bytes;
};
`;

const parameterTable = ({ parameters }: CSource, at: number): string =>
  `static const struct uk_parameter uk_parameters_${at}[] = {\n${parameters.map(parameterRow).join("")}};\n`;

const parameterRow = ({ name, dtype, length }: KernelParameter): string =>
  `  {${JSON.stringify(name)}, ${arrayType[dtype]}, ${length}, ${length * byteSize[dtype]}},\n`;

function kernelRow({ name, parameters, workspaceBytes }: CSource, at: number): string {
  const inputs = parameters.filter(({ role }) => role === "input").length;
  const table = `uk_parameters_${at}, ${parameters.length}, ${inputs}`;
  return `  {"${name}", uk_kernel_${at}, ${table}, ${workspaceBytes}},\n`;
}
