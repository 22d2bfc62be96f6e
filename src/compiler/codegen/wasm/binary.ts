// The binary format's pieces: LEB128 numbers, names, vectors and sections (core specification 2.0, chapter 5).

import { flatMap } from "../../support/flat-map.ts";

export const section = (id: number, content: readonly number[]): number[] => [
  id,
  ...unsigned(content.length),
  ...content,
];

export const vector = (items: readonly (readonly number[])[]): number[] => [
  ...unsigned(items.length),
  ...flatMap(items, (item) => item),
];

export function text(content: string): number[] {
  const bytes = [...new TextEncoder().encode(content)];
  return [...unsigned(bytes.length), ...bytes];
}

/** LEB128 of a number in 0 … 2^32 − 1. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value >>> 0;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

/** The number that is written at a place, and where the next thing begins. */
export function readUnsigned(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } {
  const byte = bytes[at] ?? 0;
  if (byte < 0x80) return { value: byte, end: at + 1 };
  const { value, end } = readUnsigned(bytes, at + 1);
  return { value: value * 0x80 + (byte & 0x7f), end };
}

/** Signed LEB128. */
export function signed(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest < -64n || rest > 63n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest & 0x7fn)];
}
