// Reading a file of decisions that somebody else has written: a regular file, of a size that can be read at once.

import { readFileSync } from "node:fs";
import { withRegularFile } from "../../native/file/regular-file.ts";

/** Most bytes of a file of decisions: some half a million decisions have as many. A text of twice as many is longer than V8 can hold. */
export const mostExchangeBytes: number = 2 ** 28;

export type ExchangeText =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "unreadable"; readonly why: string };

const unreadable = (why: string): ExchangeText => ({ kind: "unreadable", why });

export function readExchangeFile(path: string): ExchangeText {
  try {
    return withRegularFile(path, (file, { size }) => {
      if (size > mostExchangeBytes) return unreadable(`it has ${size} bytes, and ${mostExchangeBytes} are the most`);
      return { kind: "read", text: readFileSync(file, "utf8") };
    });
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    return unreadable(error.message);
  }
}
