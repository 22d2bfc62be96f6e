// ONNX models, as small as they can be: one graph, a few nodes. The bytes are those of onnx.proto3 (ONNX 1.16), which is protocol
// buffers: fields of a number and a value, the value a varint or bytes with their length before them.

import type { DType } from "../../../../src/compiler/index.ts";
import type { KernelArray } from "../../../../src/native/runner/protocol.ts";

export interface OnnxTensor {
  readonly name: string;
  /** Sizes that are operands of a node are of i64. */
  readonly dtype: DType | "i64";
  readonly shape: readonly number[];
}

export interface OnnxNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes?: Readonly<Record<string, number | string | readonly number[]>>;
}

export interface OnnxGraph {
  readonly inputs: readonly OnnxTensor[];
  /** Part of the model. */
  readonly constants: readonly (OnnxTensor & { readonly data: KernelArray | BigInt64Array })[];
  readonly nodes: readonly OnnxNode[];
  readonly output: OnnxTensor;
}

/** Gelu came with it. */
const operators = 20;
/** Version of the file format. */
const irVersion = 9;

/** The model as a file has it. Attributes that are numbers are integers. */
export const onnxModel = ({ inputs, constants, nodes, output }: OnnxGraph): Uint8Array =>
  joined([
    integer(1, irVersion),
    message(8, text(1, ""), integer(2, operators)),
    message(
      7,
      ...nodes.map(nodeField),
      text(2, "graph"),
      ...constants.map(constantField),
      ...inputs.map((input) => valueField(11, input)),
      valueField(12, output),
    ),
  ]);

const elementTypes: Partial<Record<OnnxTensor["dtype"], number>> = { f32: 1, u8: 2, i8: 3, i32: 6, i64: 7 };

const nodeField = ({ op, inputs, output, attributes = {} }: OnnxNode): Uint8Array =>
  message(
    1,
    ...inputs.map((input) => text(1, input)),
    text(2, output),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) => attributeField(name, value)),
  );

function attributeField(name: string, value: number | string | readonly number[]): Uint8Array {
  if (typeof value === "number") return message(5, text(1, name), integer(3, value), integer(20, 2));
  if (typeof value === "string") return message(5, text(1, name), text(4, value), integer(20, 3));
  return message(5, text(1, name), ...value.map((each) => integer(8, each)), integer(20, 7));
}

const constantField = ({ name, dtype, shape, data }: OnnxGraph["constants"][number]): Uint8Array =>
  message(
    5,
    ...shape.map((extent) => integer(1, extent)),
    integer(2, elementTypes[dtype]!),
    text(8, name),
    message(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  );

function valueField(field: number, { name, dtype, shape }: OnnxTensor): Uint8Array {
  const dims = shape.map((extent) => message(1, integer(1, extent)));
  const tensor = message(1, integer(1, elementTypes[dtype]!), message(2, ...dims));
  return message(field, text(1, name), message(2, tensor));
}

const integer = (field: number, value: number): Uint8Array => Uint8Array.of(...varint(field * 8), ...varint(value));

const text = (field: number, value: string): Uint8Array => message(field, new TextEncoder().encode(value));

function message(field: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return joined([Uint8Array.of(...varint(field * 8 + 2), ...varint(length)), ...parts]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Seven bits a byte, the lowest first. */
function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
