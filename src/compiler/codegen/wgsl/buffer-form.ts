// Forms of buffers in one launch: the type of what they are declared as, chosen by all accesses to them. A buffer whose stores are all
// aligned runs is made of vectors; one of narrow elements is made of words, which are atomic where a thread stores less than a word.

import { byteSize } from "../../expr/dtype.ts";
import { exprKey } from "../../ir/expr-key.ts";
import type { Buffer, Expr, Stmt } from "../../ir/loop-ir.ts";
import { lanesOf, walkStmt } from "../../ir/visit.ts";
import { product } from "../../support/integer-math.ts";
import { isNarrow, isPacked, mostLanes, scalarType, vectorOf, wordBytes } from "./elements.ts";
import { dividedIndex, startOfRun } from "./place.ts";
import type { Tiles } from "./tile-statement.ts";

export interface BufferForm {
  readonly buffer: Buffer;
  /** Elements that an element of the declared array has: of a vector or of a word. */
  readonly width: number;
  /** Whether its elements share words. */
  readonly isPacked: boolean;
  readonly isAtomic: boolean;
  readonly isStored: boolean;
  readonly isLoaded: boolean;
  /** Type of an element of the declared array. */
  readonly type: string;
}

interface Access {
  readonly index: Expr;
  readonly isStore: boolean;
  readonly isPart: boolean;
}

/**
 * Forms of the buffers that a launch names, by their names.
 *
 * @param words buffers of which nothing but words of narrow elements is read
 * @param tiles buffers that products of tiles read, which lie in words, and those that tiles are stored to
 */
export function formsIn(
  body: Stmt,
  buffers: readonly Buffer[],
  words: ReadonlySet<string>,
  tiles: Pick<Tiles, "read" | "stored">,
): ReadonlyMap<string, BufferForm> {
  const accesses = new Map<string, Access[]>();
  const note = (name: string, index: Expr, isStore: boolean, isPart: boolean): void => {
    const known = accesses.get(name);
    const access = { index, isStore, isPart };
    if (known) known.push(access);
    else accesses.set(name, [access]);
  };
  walkStmt(
    body,
    (stmt) => {
      if (stmt.kind === "store") note(stmt.buffer, stmt.indices[0]!, true, stmt.active !== null);
    },
    (expr) => {
      if (expr.kind === "load") note(expr.buffer, expr.indices[0]!, false, expr.active !== null);
    },
  );
  const used = buffers.filter(({ name }) => accesses.has(name));
  const isOfWords = ({ name, memory, dtype }: Buffer): boolean => {
    if (memory !== "group") return false;
    if (tiles.read.has(name)) return isNarrow(dtype);
    return words.has(name) && accesses.get(name)!.every((access) => fills(access, wordBytes));
  };
  return new Map(
    used.map((buffer) => [
      buffer.name,
      formOf(buffer, accesses.get(buffer.name)!, {
        isOfWords: isPacked(buffer) || isOfWords(buffer),
        isScalar: tiles.stored.has(buffer.name),
      }),
    ]),
  );
}

interface Wanted {
  readonly isOfWords: boolean;
  /** Whether it is no array of vectors. */
  readonly isScalar: boolean;
}

function formOf(buffer: Buffer, accesses: readonly Access[], { isOfWords, isScalar }: Wanted): BufferForm {
  const isStored = accesses.some(({ isStore }) => isStore);
  const facts = { buffer, isStored, isLoaded: accesses.some(({ isStore }) => !isStore) };
  if (isOfWords) {
    const width = wordBytes / byteSize[buffer.dtype];
    const isAtomic = !accesses.every((access) => !access.isStore || fills(access, width));
    return { ...facts, width, isPacked: true, isAtomic, type: isAtomic ? "atomic<u32>" : "u32" };
  }
  const areFit = (it: number): boolean => areVectors(accesses, it) || (!isStored && areParts(buffer, accesses, it));
  const width = isScalar || buffer.memory === "register" ? 1 : ([4, 2].find(areFit) ?? 1);
  const word = wordType(buffer);
  return { ...facts, width, isPacked: false, isAtomic: false, type: vectorOf(word, width) };
}

/** Type of an element that has a word of its own: memory holds no bools. */
function wordType({ dtype, memory }: Buffer): string {
  const type = scalarType(dtype);
  return type === "bool" && memory !== "register" ? "u32" : type;
}

/** Whether an access is a run of whole words or vectors, so many elements each. */
const fills = ({ index, isPart }: Access, width: number): boolean =>
  !isPart && lanesOf(index) % width === 0 && startOfRun(index, width) !== null;

/**
 * Whether accesses are runs of vectors. Single elements may be read where it is known which of a vector they are, and a vector is written
 * as a whole: of a write to a part of it, others may see the whole.
 */
function areVectors(accesses: readonly Access[], width: number): boolean {
  const isFit = (access: Access): boolean =>
    fills(access, width) ||
    (!access.isStore && lanesOf(access.index) === 1 && dividedIndex(access.index, width) !== null);
  return accesses.every(isFit) && accesses.some((access) => lanesOf(access.index) <= mostLanes && fills(access, width));
}

/** Whether all accesses read single elements of known places in vectors, of one of them all. The last vector is as long as others. */
function areParts(buffer: Buffer, accesses: readonly Access[], width: number): boolean {
  if (product(buffer.shape) % width !== 0) return false;
  const read = new Map<string, Set<number>>();
  for (const { index } of accesses) {
    const divided = lanesOf(index) === 1 ? dividedIndex(index, width) : null;
    if (!divided) return false;
    const key = exprKey(divided.quotient);
    read.set(key, (read.get(key) ?? new Set()).add(divided.at));
  }
  return [...read.values()].some(({ size }) => size === width);
}
