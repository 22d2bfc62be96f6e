// Signatures of kernels → the TypeScript types of their imports, and a line for people.

import { arrayTypes } from "../../compiler/index.ts";
import type { Signature, SignatureTensor } from "./signature.ts";

const kernelModule = 'import("unplugin-kernel/op")';

type TypeOf = (tensor: SignatureTensor) => string;

/** Type of an argument: an array in memory of any kind, also pixels for bytes, and halves or their bits. */
const givenType: TypeOf = (tensor) => (tensor.dtype === "u8" ? `${kernelModule}.Bytes` : bufferType(tensor));
/** Type of an array in `buffers()`, in memory that threads may share. */
const bufferType: TypeOf = ({ dtype }) => (dtype === "f16" ? `${kernelModule}.Halves` : arrayTypes[dtype].name);
const madeType: TypeOf = ({ dtype }) =>
  dtype === "f16" ? `${kernelModule}.OwnHalves` : `${arrayTypes[dtype].name}<ArrayBuffer>`;

const member = (type: TypeOf) => (tensor: SignatureTensor) => `${tensor.name}: ${type(tensor)}`;
const tuple = (tensors: readonly SignatureTensor[]): string => `[${tensors.map(member(givenType)).join(", ")}]`;
const object = (tensors: readonly SignatureTensor[], type: TypeOf): string =>
  `{ ${tensors.map(member(type)).join("; ")} }`;

const resultType = ({ outputs }: Signature): string =>
  outputs.length === 1 ? madeType(outputs[0]!) : object(outputs, madeType);

const callable = (name: string, inputs: readonly SignatureTensor[], signature: Signature): string => {
  const { outputs } = signature;
  const types = [resultType(signature), tuple(inputs), tuple(outputs), object([...inputs, ...outputs], bufferType)];
  return `${kernelModule}.${name}<${types.join(", ")}>`;
};

/** `Kernel<Float32Array<ArrayBuffer>, [A: Float32Array, B: Float32Array], [C: Float32Array], { … }>`, with `pack` for constants. */
export function kernelType(signature: Signature): string {
  const { inputs, constants } = signature;
  const kernel = callable("Kernel", inputs, signature);
  if (constants.length === 0) return kernel;
  const isConstant = ({ name }: SignatureTensor): boolean => constants.includes(name);
  const packed = callable(
    "PackedKernel",
    inputs.filter((input) => !isConstant(input)),
    signature,
  );
  return `${kernel} & ${kernelModule}.Packable<${object(inputs.filter(isConstant), givenType)}, ${packed}>`;
}

/** Type for kernels that TypeScript cannot tell apart: the types of one kernel's arrays would be wrong for another. */
export function jointType(signatures: readonly Signature[]): string {
  const types = [...new Set(signatures.map(kernelType))];
  if (types.length === 1) return types[0]!;
  const results = [...new Set(signatures.map(resultType))].sort().join(" | ");
  const kernel = `${kernelModule}.Kernel<${results}>`;
  if (signatures.some(({ constants }) => constants.length === 0)) return kernel;
  const constants = `Record<string, ${kernelModule}.Argument>`;
  return `${kernel} & ${kernelModule}.Packable<${constants}, ${kernelModule}.PackedKernel<${results}>>`;
}

const shown = ({ name, dtype, shape }: SignatureTensor): string => `${name}: ${dtype}[${shape.join(", ")}]`;

/** "A: f32[64, 512], B: f32[512, 512] → C: f32[64, 512]; constant: B" */
export function signatureLine({ inputs, outputs, constants }: Signature): string {
  const listed = (tensors: readonly SignatureTensor[]): string => tensors.map(shown).join(", ");
  return `${listed(inputs)} → ${listed(outputs)}${constants.length > 0 ? `; constant: ${constants.join(", ")}` : ""}`;
}
