// Code of a back end that is not ours, opened by a module of the back end.

import type { TypedArray } from "../../compiler/index.ts";
import type { OpenedKernel } from "./facts.ts";
import { type Functions, openFunctions } from "./functions.ts";
import type { Arrays, Implementation, ModuleContext, Way } from "./implementation.ts";

/** The kernel as an addon would have it. A device of its own has no thread of ours to run on: calls off the event loop wait for their turn. */
function functionsOf(opened: readonly OpenedKernel[]): Functions {
  const call = (index: number, ...arrays: TypedArray[]): void => opened[index]!(arrays);
  return {
    call,
    async callAsync(index, ...arrays) {
      await new Promise((resolve) => setTimeout(resolve));
      call(index, ...arrays);
    },
    slot(index) {
      let last: Arrays = [];
      const again = (): void => opened[index]!(last);
      return {
        call(...arrays) {
          last = arrays;
          again();
        },
        again,
      };
    },
  };
}

function load(context: ModuleContext): Implementation | null {
  const { backend, open, code, sources, prepare } = context.facts.foreign!;
  try {
    const functions = functionsOf(code.map(open));
    const facts = { index: 0, ...(sources && { sources }), ...(prepare && { prepare }) };
    return { kind: backend, open: () => openFunctions(context, facts, functions) };
  } catch (error) {
    context.explain(`${backend} cannot be opened: ${(error as Error).message.split("\n")[0]}`);
    return null;
  }
}

export const foreign: Way = (context) => {
  const now = (): Implementation | null => load(context);
  return { now, soon: async () => now(), mustWait: () => false };
};
