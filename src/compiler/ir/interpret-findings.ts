// Mistakes that a watched run finds in accesses of threads, each between the same statements once.

import type { Lane } from "./interpret-memory.ts";
import type { Stmt } from "./loop-ir.ts";
import { printStmt } from "./print.ts";

/** Coordinates of a thread, or of the warp that does something together: that has none along its lanes. */
export type Coordinates = Readonly<Record<string, number>>;

export interface Access {
  readonly kind: "load" | "store";
  /** Text of the statement, of a choice its first line. */
  readonly statement: string;
  readonly thread: Coordinates;
}

/**
 * Kinds of mistakes in accesses, each with the accesses that meet:
 *   race         two of one element that nothing orders
 *   outside      one outside of its buffer
 *   overwritten  two stores of one element of a result, in one launch, the first of which nobody reads
 *   unset        a load of an element of shared memory that no thread of the group has stored, and the store that it ends in
 *   wrong        a store of a wrong result, the last load of shared memory by its thread, and the store that this load had it from
 */
export interface Finding {
  readonly kind: "race" | "outside" | "overwritten" | "unset" | "wrong";
  readonly buffer: string;
  /** The element, or the indices outside of the buffer. */
  readonly at: readonly Lane[];
  readonly accesses: readonly Access[];
}

/** An access at the time when it is found. */
interface Occasion {
  readonly isStore: boolean;
  readonly stmt: Stmt;
  readonly thread: { readonly at: Coordinates };
  readonly groupAt: Coordinates;
}

export interface Findings {
  readonly all: readonly Finding[];
  /** Takes note of a mistake, unless it is known between these statements. */
  add(mistake: Omit<Finding, "accesses">, accesses: readonly Occasion[]): void;
}

export function newFindings(): Findings {
  const all: Finding[] = [];
  const known = new Set<string>();
  const numbers = new Map<Stmt, number>();
  const numberOf = (stmt: Stmt): number => {
    const number = numbers.get(stmt) ?? numbers.size;
    numbers.set(stmt, number);
    return number;
  };
  return {
    all,
    add(mistake, accesses) {
      const key = `${mistake.buffer} ${accesses.map(({ stmt }) => numberOf(stmt)).join(" ")}`;
      if (known.has(key)) return;
      known.add(key);
      all.push({ ...mistake, accesses: accesses.map(accessOf) });
    },
  };
}

const accessOf = ({ isStore, stmt, thread, groupAt }: Occasion): Access => ({
  kind: isStore ? "store" : "load",
  statement: printStmt(stmt).split("\n", 1)[0]!,
  thread: { ...groupAt, ...thread.at },
});
