// The places that closures of the interpreter read and write, by name, and the types of these closures.

import type { Lane, Memory } from "./interpret-memory.ts";
import type { Shared } from "./interpret-shared.ts";
import type { Watch } from "./interpret-watch.ts";

/** Place where a variable or local has its value: an array for a vector. */
export interface Cell {
  value: Lane | readonly Lane[];
}

export interface Scope {
  /** Loop variables, axes and locals by name. */
  readonly cells: ReadonlyMap<string, Cell>;
  readonly memories: ReadonlyMap<string, Memory>;
  /** Nodes that a large expression uses several times. */
  readonly shared?: Shared;
  /** Where accesses are noted, in a run that is watched. The circle with interpret-watch.ts is that of types alone. */
  readonly watch?: Watch;
}

export type ScalarFn = () => Lane;
export type VectorFn = () => readonly Lane[];
