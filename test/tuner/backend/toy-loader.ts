// The toy back end in the measuring process: the text of a kernel is JavaScript, and each run counts as a thousand nanoseconds for each
// line of it.

import type { RunnableLoader } from "../../../src/native/runner/loader.ts";
import type { KernelArray, Runnable } from "../../../src/native/runner/protocol.ts";

export interface ToyRunnable extends Runnable {
  readonly kind: "toy";
  readonly text: string;
}

const nsOfLine = 1000;

export const loader: RunnableLoader<ToyRunnable> = {
  kind: "toy",
  load({ text }, { parameters, arena: { arrays } }) {
    const names = parameters.map((_, at) => `arg${at}`);
    const run = new Function(...names, text) as (...memory: readonly KernelArray[]) => void;
    const memory = arrays.map((array) => array.slice());
    const ns = nsOfLine * text.split("\n").length;
    return {
      clock: "device",
      isExact: true,
      arrays,
      async upload() {
        for (const [at, array] of arrays.entries()) memory[at]!.set(array);
      },
      async time(count) {
        run(...memory);
        return count * ns;
      },
      async download() {
        for (const [at, array] of memory.entries()) arrays[at]!.set(array);
      },
    };
  },
};
