// A work on its way to the page: the task with its arrays, the call of a library, and the texts of our kernels, as one file of JSON.

import type { WgslSource } from "../../../../src/compiler/index.ts";
import type { KernelArray, RunTask } from "../../../../src/native/runner/protocol.ts";
import type { PeerCall } from "../../peers/work.ts";

export interface PageWork {
  readonly call: PeerCall;
  readonly task: RunTask;
  /** Our kernels, by the names of their schedules. */
  readonly sources: readonly { readonly name: string; readonly source: WgslSource }[];
}

/** An array in the file: its type, and its bytes in base64. */
interface FileArray {
  readonly array: "Float32Array" | "Float64Array" | "Int32Array" | "Int8Array" | "Uint8Array";
  readonly bytes: string;
}

export const encodeWork = (work: PageWork): string =>
  JSON.stringify(work, (_, value) => (ArrayBuffer.isView(value) ? encoded(value as KernelArray) : value));

export const decodeWork = (text: string): PageWork =>
  JSON.parse(text, (_, value) => (typeof value?.array === "string" && "bytes" in value ? decoded(value) : value));

const encoded = (array: KernelArray): FileArray => ({
  array: array.constructor.name as FileArray["array"],
  bytes: Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64"),
});

function decoded({ array, bytes }: FileArray): KernelArray {
  const raw = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
  const types = { Float32Array, Float64Array, Int32Array, Int8Array, Uint8Array };
  return new types[array](raw.buffer) as KernelArray;
}
