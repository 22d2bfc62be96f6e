// Reading a file of decisions that somebody else has written: a regular file, of a size that can be read at once.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** Most bytes of a file of decisions: some half a million decisions have as many. A text of twice as many is longer than V8 can hold. */
export const mostExchangeBytes: number = 2 ** 28;

export type ExchangeText =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "unreadable"; readonly why: string };

const unreadable = (why: string): ExchangeText => ({ kind: "unreadable", why });

export function readExchangeFile(path: string): ExchangeText {
  try {
    // Opening a pipe would wait for who writes it. Windows has neither such files nor the flag.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) return unreadable("it is no regular file");
      if (stats.size > mostExchangeBytes)
        return unreadable(`it has ${stats.size} bytes, and ${mostExchangeBytes} are the most`);
      return { kind: "read", text: readFileSync(file, "utf8") };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    return unreadable(error.message);
  }
}
