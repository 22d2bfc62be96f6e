// Program + memory → its results, and the cycles until the last unit has ended. Each unit takes its instructions in order, as soon
// as the tokens that they wait for are there; among the units that can go on the earliest does, so effects happen in time.

import { type Instruction, type Program, type Unit, unitOf, units } from "../isa/instruction.ts";
import { printInstruction } from "../isa/print-program.ts";
import type { Machine } from "../machine.ts";
import { cyclesOf } from "./cycles.ts";
import { execute, type Memories } from "./execute.ts";
import { type Clock, type Elements, eachUnit, Memory } from "./memory.ts";
import { ProgramError } from "./program-error.ts";

export interface Simulated {
  readonly cycles: number;
  /** Cycles that each unit worked. Their sum is beyond `cycles` where units ran beside each other. */
  readonly busy: Readonly<Record<Unit, number>>;
}

/** Token on its way: when it is given, and what its giver knew. */
interface Token {
  readonly at: number;
  readonly knows: Clock;
}

interface UnitState {
  readonly waiting: Instruction[];
  /** Tokens that each other unit has given to this one, the oldest first. */
  readonly tokens: Record<Unit, Token[]>;
  knows: Record<Unit, number>;
  executed: number;
  freeAt: number;
  busy: number;
}

/**
 * Runs a program on the buffers of a memory, by name: inputs have values, all others get theirs.
 *
 * @throws ProgramError where the program leaves a memory, reads what nothing wrote, lacks a token, or comes to a standstill
 */
export function simulate(program: Program, machine: Machine, memory: ReadonlyMap<string, Elements>): Simulated {
  if (program.instructions.length > machine.instructions) {
    throw new ProgramError(`${program.instructions.length} instructions are more than ${machine.instructions}`);
  }
  const memories = memoriesOf(program, machine, memory);
  const states = eachUnit((unit) => newState(program.instructions.filter((it) => unitOf(it) === unit)));
  for (let next = nextUnit(states); next; next = nextUnit(states)) step(next, states, memories, machine);
  requireEnd(program, states, memories);
  const busy = eachUnit((unit) => states[unit].busy);
  return { cycles: Math.max(...units.map((unit) => states[unit].freeAt)), busy };
}

const newState = (waiting: Instruction[]): UnitState => ({
  waiting: waiting.reverse(),
  tokens: eachUnit(() => []),
  knows: eachUnit(() => 0),
  executed: 0,
  freeAt: 0,
  busy: 0,
});

function memoriesOf(
  { buffers }: Program,
  machine: Machine,
  memory: ReadonlyMap<string, Elements>,
): Memories & {
  readonly all: ReadonlyMap<string, Memory>;
} {
  const all = new Map(
    buffers.map(({ name, dtype, length, role }) => {
      const elements = memory.get(name) ?? (dtype === "i8" ? new Int8Array(length) : new Int32Array(length));
      if (elements.length !== length) {
        throw new ProgramError(`${name} has ${elements.length} elements, the program wants ${length}`);
      }
      return [name, new Memory(name, elements, role === "input")];
    }),
  );
  return {
    all,
    scratchpads: {
      inputs: new Memory("inputs", new Int8Array(machine.inputs), false),
      weights: new Memory("weights", new Int8Array(machine.weights), false),
      sums: new Memory("sums", new Int32Array(machine.sums), false),
    },
    buffer(name) {
      const found = all.get(name);
      if (!found) throw new ProgramError(`there is no buffer ${name}`);
      return found;
    },
  };
}

/** The unit that can start its next instruction first; null: none can. */
function nextUnit(states: Readonly<Record<Unit, UnitState>>): Unit | null {
  const ready = units.flatMap((unit) => {
    const at = startOf(states[unit]);
    return at === null ? [] : [{ unit, at }];
  });
  return (
    ready.reduce<(typeof ready)[number] | null>((first, it) => (first && first.at <= it.at ? first : it), null)?.unit ??
    null
  );
}

/** Cycle at which a unit can start its next instruction; null: it has none, or a token is missing. */
function startOf({ waiting, tokens, freeAt }: UnitState): number | null {
  const next = waiting.at(-1);
  if (!next) return null;
  const times = next.waits.map((other) => tokens[other][0]?.at ?? null);
  return times.reduce<number | null>(
    (latest, at) => (latest === null || at === null ? null : Math.max(latest, at)),
    freeAt,
  );
}

function step(unit: Unit, states: Readonly<Record<Unit, UnitState>>, memories: Memories, machine: Machine): void {
  const state = states[unit];
  const start = startOf(state) ?? 0;
  const instruction = state.waiting.pop();
  if (!instruction) return;
  for (const other of instruction.waits) {
    const token = state.tokens[other].shift();
    if (token) state.knows = later(state.knows, token.knows);
  }
  state.executed += 1;
  state.knows[unit] = state.executed;
  inContext(instruction, () => execute(instruction, memories, { unit, number: state.executed, knows: state.knows }));
  const cycles = cyclesOf(instruction, machine, bytesIn(instruction, memories));
  state.freeAt = start + cycles;
  state.busy += cycles;
  for (const other of instruction.signals) {
    states[other].tokens[unit].push({ at: state.freeAt, knows: { ...state.knows } });
  }
}

const later = (a: Clock, b: Clock): Record<Unit, number> => eachUnit((unit) => Math.max(a[unit], b[unit]));

const bytesIn = (instruction: Instruction, { buffer }: Memories): number =>
  "buffer" in instruction ? buffer(instruction.buffer).elements.BYTES_PER_ELEMENT : 0;

/** Adds the instruction's line to an error of it. */
function inContext(instruction: Instruction, call: () => void): void {
  try {
    call();
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    throw new ProgramError(`${error.message}\n  ${printInstruction(instruction)}`);
  }
}

function requireEnd(
  { buffers }: Program,
  states: Readonly<Record<Unit, UnitState>>,
  { all }: { readonly all: ReadonlyMap<string, Memory> },
): void {
  for (const unit of units) {
    const stuck = states[unit].waiting.at(-1);
    if (stuck) throw new ProgramError(`${unit} waits for a token that nobody gives\n  ${printInstruction(stuck)}`);
  }
  for (const { name, role } of buffers) {
    const at = role === "output" ? all.get(name)?.firstUnwritten() : null;
    if (typeof at === "number") throw new ProgramError(`the program ends, and ${name}[${at}] has no value`);
  }
}
