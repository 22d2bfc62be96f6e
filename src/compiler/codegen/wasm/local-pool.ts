// The WASM locals of one function. Temporaries and defined values are handed back and used again; loop pointers never
// take a used one, because they live through code of their loop that is already made when they are asked for.

import type { Code, ValueType } from "./instruction.ts";

export class LocalPool {
  /** Types of all locals by index; the parameters come first. */
  readonly types: ValueType[];
  readonly #free = new Map<ValueType, number[]>();

  constructor(parameters: readonly ValueType[] = []) {
    this.types = [...parameters];
  }

  /** A local that no code so far mentions. */
  fresh(type: ValueType): number {
    return this.types.push(type) - 1;
  }

  take(type: ValueType): number {
    return this.#free.get(type)?.pop() ?? this.fresh(type);
  }

  release(index: number): void {
    const type = this.types[index] ?? "i32";
    const free = this.#free.get(type);
    if (free) free.push(index);
    else this.#free.set(type, [index]);
  }

  /** Code with a temporary of its own; all that is to run while the temporary holds its value is made inside `make`. */
  with(type: ValueType, make: (temporary: number) => Code): Code {
    const temporary = this.take(type);
    const code = make(temporary);
    this.release(temporary);
    return code;
  }
}
