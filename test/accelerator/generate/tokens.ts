// Operations in an order in which they could run one after the other → the same with the tokens that let the units run beside
// each other: each waits for the last instruction of another unit that touches what it touches, unless it knows of that already.
//
// Tokens have no names: the n-th that a unit takes from another is the n-th that this one gave. That is the right one, as both
// take and give in the order of the program, and no instruction gives or takes two.

import {
  type Instruction,
  noTokens,
  type Operation,
  type Tokens,
  type Unit,
  unitOf,
  units,
} from "../isa/instruction.ts";
import { type Access, accessesOf } from "./accesses.ts";

export function withTokens(operations: readonly Operation[]): readonly Instruction[] {
  const accesses = operations.map(accessesOf);
  const history = new History(accesses);
  const tokens = operations.map((): { waits: Unit[]; signals: Unit[] } => ({ waits: [], signals: [] }));
  /** The last instruction of each unit (inner) that a unit (outer) has waited for. */
  const known = new Map<string, number>();
  for (const [at, operation] of operations.entries()) {
    const unit = unitOf(operation);
    const own = history.changing(accesses[at] ?? []);
    for (const other of units) {
      if (other === unit) continue;
      const last = history.lastConflict(other, own);
      if (last < 0 || last <= (known.get(`${unit} ${other}`) ?? -1)) continue;
      known.set(`${unit} ${other}`, last);
      tokens[at]?.waits.push(other);
      tokens[last]?.signals.push(unit);
    }
    history.add(unit, own, at);
  }
  return operations.map((operation, at): Instruction => ({ ...operation, ...inOrder(tokens[at] ?? noTokens) }));
}

const inOrder = ({ waits, signals }: Tokens): Tokens => ({
  waits: units.filter((unit) => waits.includes(unit)),
  signals: units.filter((unit) => signals.includes(unit)),
});

/** Elements of a block: memories are looked at in blocks, as a vector is the least that most instructions touch. */
const block = 16;

/** The last instruction of each unit that read and that wrote each block of each memory. */
class History {
  private readonly readers = new Map<string, number[]>();
  private readonly writers = new Map<string, number[]>();
  /** Memories that some operation writes: only there units can be in each other's way. */
  private readonly written: ReadonlySet<string>;

  constructor(all: readonly (readonly Access[])[]) {
    this.written = new Set(all.flatMap((own) => own.flatMap(({ memory, writes }) => (writes ? [memory] : []))));
  }

  changing(accesses: readonly Access[]): readonly Access[] {
    return accesses.filter(({ memory }) => this.written.has(memory));
  }

  add(unit: Unit, own: readonly Access[], at: number): void {
    for (const { memory, from, to, writes } of own) {
      const blocks = blocksOf(writes ? this.writers : this.readers, unit, memory);
      for (let it = Math.floor(from / block); it * block < to; it++) blocks[it] = at;
    }
  }

  /** Place of the last instruction of a unit that must have ended before these accesses; −1: none. */
  lastConflict(unit: Unit, own: readonly Access[]): number {
    let last = -1;
    for (const { memory, from, to, writes } of own) {
      for (const accesses of writes ? [this.readers, this.writers] : [this.writers]) {
        const others = blocksOf(accesses, unit, memory);
        for (let it = Math.floor(from / block); it * block < to; it++) last = Math.max(last, others[it] ?? -1);
      }
    }
    return last;
  }
}

function blocksOf(all: Map<string, number[]>, unit: Unit, memory: string): number[] {
  const key = `${unit} ${memory}`;
  const found = all.get(key) ?? [];
  all.set(key, found);
  return found;
}
