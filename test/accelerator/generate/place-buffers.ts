// Flat loops → where each buffer lies. The memory of a local buffer follows from its use: first operands of products are inputs,
// second ones weights, their results sums; what no product touches stays in memory. Where a scratchpad has the room, its
// buffers lie in it twice: then the next copy is filled while units still use the last one.

import type { Buffer, Expr, LoopFunc, Stmt } from "../../../src/compiler/index.ts";
import { childrenOf, ownExprs, walkExpr } from "../../../src/compiler/ir/visit.ts";
import type { MemoryBuffer, Scratchpad } from "../isa/instruction.ts";
import { type Machine, side } from "../machine.ts";
import { Refusal } from "./refusal.ts";

/** Place of a local buffer in a scratchpad: the address of each of its copies. */
export interface ScratchpadPlace {
  readonly scratchpad: Scratchpad;
  readonly copies: readonly number[];
}

export interface Placement {
  readonly memory: readonly MemoryBuffer[];
  readonly scratchpads: ReadonlyMap<string, ScratchpadPlace>;
  /** First element of the sums that no buffer has: room for what is computed on the way. */
  readonly freeSums: number;
}

export function placeBuffers(func: LoopFunc, machine: Machine): Placement {
  const uses = usesIn(func.body);
  const scratchpads = new Map<string, ScratchpadPlace>();
  let freeSums = 0;
  for (const scratchpad of ["inputs", "weights", "sums"] as const) {
    const own = func.buffers.filter(({ name }) => uses.get(name)?.has(scratchpad));
    for (const buffer of own) requireFit(buffer, scratchpad, uses);
    const length = own.reduce((sum, buffer) => sum + roomOf(buffer), 0);
    if (length > machine[scratchpad]) {
      throw new Refusal(
        `${nameAll(own)} take ${length} elements of the ${scratchpad}, which have ${machine[scratchpad]}`,
      );
    }
    // Half of the sums stays free for what is computed on the way to memory.
    const room = scratchpad === "sums" ? machine.sums / 2 : machine[scratchpad];
    const copies = 2 * length <= room ? 2 : 1;
    let address = 0;
    for (const buffer of own) {
      const first = address;
      scratchpads.set(buffer.name, {
        scratchpad,
        copies: Array.from({ length: copies }, (_, copy) => first + copy * roomOf(buffer)),
      });
      address += copies * roomOf(buffer);
    }
    if (scratchpad === "sums") freeSums = address;
  }
  return { memory: func.buffers.filter(({ name }) => !scratchpads.has(name)).map(memoryBuffer), scratchpads, freeSums };
}

/** Elements of a buffer in a scratchpad, in whole vectors. */
const roomOf = ({ shape }: Buffer): number => Math.ceil(lengthOf(shape) / side) * side;

const lengthOf = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

const nameAll = (buffers: readonly Buffer[]): string => buffers.map(({ name }) => name).join(" and ");

const operandScratchpads = ["sums", "inputs", "weights"] as const;

/** The scratchpads that each buffer has to lie in. */
function usesIn(body: Stmt): ReadonlyMap<string, ReadonlySet<Scratchpad>> {
  const uses = new Map<string, Set<Scratchpad>>();
  const use = (name: string, scratchpad: Scratchpad): void => {
    uses.set(name, (uses.get(name) ?? new Set()).add(scratchpad));
  };
  const visit = (stmt: Stmt): void => {
    for (const child of childrenOf(stmt)) visit(child);
    if (stmt.kind === "store" && isVectorOf(stmt.value)) use(stmt.buffer, "sums");
    for (const expr of ownExprs(stmt)) walkExpr(expr, (it) => noteOperands(it, use));
  };
  visit(body);
  return uses;
}

/** Says whether the value is a product, or the zeros that one begins with. */
export const isVectorOf = (value: Expr): boolean => value.kind === "intrinsic" || value.kind === "broadcast";

function noteOperands(expr: Expr, use: (name: string, scratchpad: Scratchpad) => void): void {
  if (expr.kind !== "intrinsic") return;
  for (const [at, operand] of expr.operands.entries()) {
    const scratchpad = operandScratchpads[at];
    if (operand.kind === "load" && scratchpad) use(operand.buffer, scratchpad);
  }
}

function requireFit(
  { name, role, dtype }: Buffer,
  scratchpad: Scratchpad,
  uses: ReadonlyMap<string, ReadonlySet<Scratchpad>>,
): void {
  const others = [...(uses.get(name) ?? [])].filter((it) => it !== scratchpad);
  if (others.length > 0)
    throw new Refusal(`${name} would have to lie in the ${scratchpad} and the ${others.join(" and the ")}`);
  if (role !== "local") throw new Refusal(`${name} is used by products, and is not brought to the ${scratchpad}`);
  const wanted = scratchpad === "sums" ? "i32" : "i8";
  if (dtype !== wanted) throw new Refusal(`${name} is ${dtype}, the ${scratchpad} hold ${wanted}`);
}

function memoryBuffer({ name, dtype, shape, role }: Buffer): MemoryBuffer {
  if (dtype !== "i8" && dtype !== "i32") throw new Refusal(`${name} is ${dtype}: the machine knows i8 and i32`);
  return { name, dtype, length: lengthOf(shape), role };
}
