// Neighbours in memory ↔ registers, by one instruction. Up to four elements are a vector of the machine; more of them come as words of 32 bits, of
// which each has several.

import type { IrType } from "../../../ir/loop-ir.ts";
import { bytesOfElement, isHalf } from "../plan/elements.ts";
import { type Address, addressText } from "./address.ts";
import { chosen } from "./arithmetic.ts";
import type { PtxContext } from "./context.ts";
import type { Emitter, Value } from "./emitter.ts";
import { inRegister, int, kindOf, memoryType } from "./registers.ts";

const mostElements = 4;
const wordBytes = 4;

const listOf = (values: readonly Value[]): string =>
  values.length === 1 ? values[0]!.text : `{${values.map(({ text }) => text).join(", ")}}`;

const width = (count: number): string => (count === 1 ? "" : `.v${count}`);

/** Registers that are loaded from an address together, perhaps only under a predicate: else they are zeros. */
function moved(
  name: string,
  type: string,
  registers: readonly Value[],
  address: Address,
  { emitter, guard }: PtxContext,
): void {
  const line = `${name}${width(registers.length)}.${type} ${listOf(registers)}, ${addressText(address)};`;
  if (guard) for (const { kind, text } of registers) emitter.lines(`mov.${kind} ${text}, ${zeros[kind]};`);
  emitter.lines(guard ? `@${guard.text} ${line}` : line);
}

const zeros: Readonly<Record<Value["kind"], string>> = {
  pred: "0",
  b16: "0",
  b32: "0",
  b64: "0",
  f32: "0f00000000",
  f64: "0d0000000000000000",
};

/** @param load instruction, without its width and type */
export function loadVector(
  load: string,
  dtype: IrType,
  count: number,
  address: Address,
  context: PtxContext,
): readonly Value[] {
  const { emitter } = context;
  if (count <= mostElements) {
    const kind = dtype === "bool" ? "b32" : kindOf[dtype];
    const registers = Array.from({ length: count }, () => emitter.register(kind));
    moved(load, memoryType[dtype], registers, address, context);
    return dtype === "bool" ? registers.map((byte) => isSet(byte, emitter)) : registers;
  }
  const each = wordBytes / bytesOfElement(dtype);
  const words = Array.from({ length: count / each }, () => emitter.register("b32"));
  moved(load, "b32", words, address, context);
  return words.flatMap((word) => elementsOf(word, dtype, emitter));
}

const isSet = (byte: Value, { compute }: Emitter): Value => compute("setp.ne.s32", "pred", [byte, int(0)], false);

function elementsOf(word: Value, dtype: IrType, emitter: Emitter): readonly Value[] {
  if (isHalf(dtype)) {
    const halves = [emitter.register("b16"), emitter.register("b16")];
    emitter.lines(`mov.b32 ${listOf(halves)}, ${word.text};`);
    return halves;
  }
  const bits = 8 * bytesOfElement(dtype);
  const field = dtype === "u8" || dtype === "bool" ? "bfe.u32" : "bfe.s32";
  const elements = Array.from({ length: 32 / bits }, (_, at) =>
    emitter.compute(field, "b32", [word, int(at * bits), int(bits)], false),
  );
  return dtype === "bool" ? elements.map((byte) => isSet(byte, emitter)) : elements;
}

/** @param store instruction, without its width and type */
export function storeVector(
  store: string,
  dtype: IrType,
  values: readonly Value[],
  address: Address,
  { emitter }: Pick<PtxContext, "emitter">,
): void {
  const registers = values.map((value) => storable(value, emitter));
  if (values.length <= mostElements) {
    emitter.lines(
      `${store}${width(values.length)}.${memoryType[dtype]} ${addressText(address)}, ${listOf(registers)};`,
    );
    return;
  }
  const each = wordBytes / bytesOfElement(dtype);
  const words = Array.from({ length: values.length / each }, (_, at) =>
    wordOf(registers.slice(at * each, (at + 1) * each), dtype, emitter),
  );
  emitter.lines(`${store}${width(words.length)}.b32 ${addressText(address)}, ${listOf(words)};`);
}

/** A register as stores take it: bools are bytes. */
const storable = (value: Value, emitter: Emitter): Value =>
  inRegister(value.kind === "pred" ? chosen(value, int(1), int(0), emitter) : value, emitter);

function wordOf(elements: readonly Value[], dtype: IrType, emitter: Emitter): Value {
  if (isHalf(dtype)) {
    const word = emitter.register("b32");
    emitter.lines(`mov.b32 ${word.text}, ${listOf(elements)};`);
    return word;
  }
  const bits = 8 * bytesOfElement(dtype);
  return elements
    .slice(1)
    .reduce(
      (word, element, at) => emitter.compute("bfi.b32", "b32", [element, word, int((at + 1) * bits), int(bits)], false),
      elements[0]!,
    );
}

/** Moves so many bytes from one address to another. */
export function copyBytes(
  load: string,
  store: string,
  bytes: number,
  { from, to }: { readonly from: Address; readonly to: Address },
  { emitter }: Pick<PtxContext, "emitter">,
): void {
  const kind = bytes === 2 ? "b16" : "b32";
  const registers = Array.from({ length: Math.max(1, bytes / wordBytes) }, () => emitter.register(kind));
  const type = `${width(registers.length)}.${kind}`;
  emitter.lines(`${load}${type} ${listOf(registers)}, ${addressText(from)};`);
  emitter.lines(`${store}${type} ${addressText(to)}, ${listOf(registers)};`);
}
