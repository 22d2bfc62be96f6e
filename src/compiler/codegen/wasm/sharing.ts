// The imports of a module whose loops threads share: the memory that they all see, and `share`, which calls them to a loop.
//
// Without a SharedArrayBuffer there are no threads. The same module then serves with one byte changed, the flag of a shared
// memory, so one module is shipped for both cases.

import type { WasmSharing } from "../kernel-source.ts";
import { readUnsigned, section, text, unsigned, vector } from "./binary.ts";

const from = /* @__PURE__ */ text("kernel");
const memory = /* @__PURE__ */ text("memory");
const kinds = { function: 0x00, memory: 0x02 } as const;

/** Flag of a memory that has a largest size, as a shared one must. */
const hasLargest = 0x01;
const isShared = 0x02;
/** Flags of a memory that is not shared. */
export const unsharedFlag = hasLargest;

/** Most pages, those of 4 GiB. It never grows: the program that makes the memory decides how large it may become. */
const mostPages = 65536;

/** The import section. `shareType` is the index of the function's type. */
export function sharedImports(pages: number, shareType: number): number[] {
  const limits = [hasLargest | isShared, ...unsigned(pages), ...unsigned(mostPages)];
  return section(
    2,
    vector([
      [...from, ...memory, kinds.memory, ...limits],
      [...from, ...text("share"), kinds.function, ...unsigned(shareType)],
    ]),
  );
}

/** Reads from an encoded module the facts that its threads need; null: it has no shared loops. */
export function sharingOf(bytes: Uint8Array, threads: number): WasmSharing | null {
  const types = readUnsigned(bytes, 9);
  const imports = types.end + types.value;
  if (bytes[imports] !== 2) return null;
  const entries = readUnsigned(bytes, imports + 1).end + 1;
  const flagAt = entries + from.length + memory.length + 1;
  return { threads, pages: readUnsigned(bytes, flagAt + 1).value, flagAt };
}
