// A state of the solver as an estimate sees it: settled variables have values, and asking for any other is noted. A result
// that needed no open variable holds for every schedule below that state.

import type { Assignment } from "../../compiler/index.ts";
import type { CompiledModel } from "../constraint/solver/compile.ts";

/**
 * Thrown out of an estimate that asks for an open variable. It is one object, as it is thrown thousands of times a second.
 */
const open = { name: "a variable that is still open" };

export interface PartialView {
  /** Returns the value of `ask` where it needs nothing open, else the name of a variable that it needs. */
  read<T>(ask: (assignment: Assignment) => T): { readonly value: T } | { readonly needs: string };
}

export function partialView({ engine: { store }, ids }: CompiledModel): PartialView {
  let needs: string | null = null;
  const settled = (name: string): number | undefined => {
    const id = ids.get(name);
    if (id === undefined) return undefined;
    if (store.isFixed(id)) return store.min(id);
    needs = name;
    throw open;
  };
  const assignment = new Proxy<Record<string, number>>(
    {},
    {
      get: (_, name) => (typeof name === "string" ? settled(name) : undefined),
      has: (_, name) => typeof name === "string" && ids.has(name),
      ownKeys: () => [...ids.keys()],
      getOwnPropertyDescriptor: (_, name) => ({
        value: typeof name === "string" ? settled(name) : undefined,
        enumerable: true,
        configurable: true,
      }),
    },
  );
  return {
    read(ask) {
      needs = null;
      try {
        const value = ask(assignment);
        // An author may have caught what was thrown.
        return needs === null ? { value } : { needs };
      } catch (error) {
        if (error !== open || needs === null) throw error;
        return { needs };
      }
    },
  };
}
