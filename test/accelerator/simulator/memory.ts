// One memory with a guard on each element: it is inside, it was written before it is read, and no other unit uses it at the
// same time. "At the same time" is a matter of tokens, not of cycles: what is ordered by luck alone is an error too.

import type { Unit } from "../isa/instruction.ts";
import { units } from "../isa/instruction.ts";
import { side } from "../machine.ts";
import { ProgramError } from "./program-error.ts";

/** Number of instructions of each unit that have ended, as far as an instruction knows from tokens. */
export type Clock = Readonly<Record<Unit, number>>;

/** The instruction that accesses a memory: its unit, its number among the unit's (from 1), and what it knows of the others. */
export interface Accessor {
  readonly unit: Unit;
  readonly number: number;
  readonly knows: Clock;
}

export type Elements = Int8Array | Int32Array;

export class Memory {
  readonly name: string;
  readonly elements: Elements;
  /** Whether each element has a value. */
  private readonly written: Uint8Array;
  /** The last instruction of each unit that read and that wrote each block of 16 elements. */
  private readonly readers: Readonly<Record<Unit, Int32Array>>;
  private readonly writers: Readonly<Record<Unit, Int32Array>>;

  constructor(name: string, elements: Elements, isWritten: boolean) {
    this.name = name;
    this.elements = elements;
    this.written = new Uint8Array(elements.length).fill(isWritten ? 1 : 0);
    this.readers = eachUnit(() => new Int32Array(Math.ceil(elements.length / side)));
    this.writers = eachUnit(() => new Int32Array(Math.ceil(elements.length / side)));
  }

  /** Checks a read of neighbours and notes it; the caller takes them from `elements`. */
  read(from: number, count: number, by: Accessor): void {
    this.requireInside(from, count, by);
    for (let at = from; at < from + count; at++) {
      if (this.written[at] === 0)
        throw new ProgramError(`${by.unit} reads ${this.name}[${at}], which nothing has written`);
    }
    this.note(from, count, by, this.readers, [this.writers]);
  }

  /** Checks a write of neighbours and notes it; the caller puts them into `elements`. */
  write(from: number, count: number, by: Accessor): void {
    this.requireInside(from, count, by);
    this.written.fill(1, from, from + count);
    this.note(from, count, by, this.writers, [this.readers, this.writers]);
  }

  /** First element without a value, for results that are not complete; null: there is none. */
  firstUnwritten(): number | null {
    const at = this.written.indexOf(0);
    return at < 0 ? null : at;
  }

  private requireInside(from: number, count: number, { unit }: Accessor): void {
    if (from >= 0 && from + count <= this.elements.length) return;
    const reached = `${this.name}[${from}] to [${from + count - 1}]`;
    throw new ProgramError(`${unit} accesses ${reached}, it has ${this.elements.length} elements`);
  }

  private note(
    from: number,
    count: number,
    by: Accessor,
    own: Readonly<Record<Unit, Int32Array>>,
    conflicting: readonly Readonly<Record<Unit, Int32Array>>[],
  ): void {
    for (let block = Math.floor(from / side); block * side < from + count; block++) {
      for (const other of units) {
        if (other === by.unit) continue;
        for (const accesses of conflicting) {
          if ((accesses[other][block] ?? 0) > by.knows[other]) throw this.race(block, by, other);
        }
      }
      own[by.unit][block] = by.number;
    }
  }

  private race(block: number, { unit }: Accessor, other: Unit): ProgramError {
    const place = `${this.name}[${block * side}]`;
    return new ProgramError(`${unit} uses ${place} without a token that ${other} is done with it`);
  }
}

export const eachUnit = <T>(of: (unit: Unit) => T): Record<Unit, T> => ({
  load: of("load"),
  compute: of("compute"),
  store: of("store"),
});
