// Memory of kernels in the emulated machine: a data image (struct uk_data of guest.h, page tables, arrays) and, after
// the run, its contents. Each array ends at the end of a page with no page behind or before it, so that reading or
// writing one lane too many is an exception; inputs cannot be written.

import { invariant } from "../../src/compiler/index.ts";

export const codeAt = 0x10_0000;
export const dataAt = 0x80_0000;
const pageBytes = 4096;
const romAt = 0xf_0000;

/** Memory of the machine; one page directory, which is what it has, could map four times as much. */
export const guestMiB = 256;
const guestPages = (guestMiB * 2 ** 20) / pageBytes;

/** Bytes of struct uk_data before its calls, and of struct uk_call. */
const headerBytes = 64;
const callBytes = 48;

/** The byte around outputs, and the one that fills workspaces: a NaN in every format. */
const redZone = 0xcd;
const garbage = 0xff;

export interface GuestArray {
  readonly bytes: Uint8Array;
  readonly isOutput: boolean;
}

export interface GuestCall {
  readonly arrays: readonly GuestArray[];
  readonly workspaceBytes: number;
}

export interface Trap {
  readonly what: string;
  /** Address of the instruction. */
  readonly address: number;
}

/** End of a call, and its arrays then. */
export interface CallResult {
  /** Null, or the exception that ended the kernel. */
  readonly trap: Trap | null;
  readonly arrays: readonly Uint8Array<ArrayBuffer>[];
  /** The place of an array whose page was written outside of the array; -1: none. */
  readonly overrun: number;
}

export interface MemoryImage {
  /** Bytes for the address `dataAt`. */
  readonly bytes: Buffer;
  /** `after`: as many bytes of memory after the run. */
  results(after: Buffer): readonly CallResult[];
  /** Whether the instruction at this address has run. */
  hasRun(after: Buffer, address: number): boolean;
}

/** Pages in a row, with a hole before them and another before the next region. */
interface Region {
  readonly firstPage: number;
  readonly pages: number;
  /** Address of the array in it. */
  readonly address: number;
  readonly array: GuestArray;
}

/** The regions of one call: its arrays, then its workspace if it has one. */
interface PlacedCall {
  readonly arrays: readonly Region[];
  readonly workspace: Region | null;
}

const pagesOf = (bytes: number): number => Math.ceil(bytes / pageBytes);
const pageOf = (address: number): number => Math.floor(address / pageBytes);

export function memoryImage(calls: readonly GuestCall[], codeBytes: number): MemoryImage {
  const argumentsAt = headerBytes + callBytes * calls.length;
  const ranAt = argumentsAt + 8 * calls.reduce((count, { arrays }) => count + arrays.length, 0);
  const sharedPages = pagesOf(ranAt + Math.ceil(codeBytes / 8));
  const tables = pageOf(dataAt) + sharedPages;
  const { placed, end } = place(calls, tables + tablePages);
  invariant(end <= guestPages, "the arrays do not fit into the machine");
  const bytes = Buffer.alloc((end - pageOf(dataAt)) * pageBytes);
  writePlainTables(bytes, tables);
  writeGuardedTables(bytes, tables + 3, { sharedPages, codePages: pagesOf(codeBytes), regions: regionsOf(placed) });
  for (const region of regionsOf(placed)) fill(bytes, region);
  [tables * pageBytes, (tables + 3) * pageBytes, dataAt + ranAt, calls.length].forEach((word, at) => {
    putWord(bytes, 8 * at, word);
  });
  writeCalls(bytes, placed, argumentsAt);
  return {
    bytes,
    results: (after) => placed.map((call, at) => resultOf(after, call, headerBytes + callBytes * at)),
    hasRun: (after, address) => {
      const bit = address - codeAt;
      return ((after[ranAt + (bit >> 3)]! >> (bit & 7)) & 1) === 1;
    },
  };
}

const putWord = (bytes: Buffer, offset: number, word: number): void => {
  bytes.writeBigUInt64LE(BigInt(word), offset);
};

// ── arrays ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `end` is the page behind the last hole. */
function place(calls: readonly GuestCall[], from: number): { placed: readonly PlacedCall[]; end: number } {
  let next = from;
  const region = (array: GuestArray, alignment: number): Region => {
    const pages = Math.max(1, pagesOf(array.bytes.length));
    const firstPage = next + 1;
    next = firstPage + pages;
    const address = Math.floor((next * pageBytes - array.bytes.length) / alignment) * alignment;
    return { firstPage, pages, address, array };
  };
  const placed = calls.map(({ arrays, workspaceBytes }) => ({
    arrays: arrays.map((array) => region(array, 1)),
    workspace: workspaceBytes > 0 ? region(workspaceOf(workspaceBytes), 64) : null,
  }));
  return { placed, end: next + 1 };
}

const workspaceOf = (length: number): GuestArray => ({ bytes: new Uint8Array(length).fill(garbage), isOutput: true });

const regionsOf = (placed: readonly PlacedCall[]): readonly Region[] =>
  placed.flatMap(({ arrays, workspace }) => (workspace ? [...arrays, workspace] : arrays));

function fill(image: Buffer, { firstPage, pages, address, array }: Region): void {
  const start = firstPage * pageBytes - dataAt;
  image.fill(redZone, start, start + pages * pageBytes);
  image.set(array.bytes, address - dataAt);
}

function writeCalls(image: Buffer, placed: readonly PlacedCall[], argumentsAt: number): void {
  let next = argumentsAt;
  placed.forEach(({ arrays, workspace }, at) => {
    putWord(image, headerBytes + callBytes * at, dataAt + next);
    putWord(image, headerBytes + callBytes * at + 8, workspace?.address ?? 0);
    putWord(image, headerBytes + callBytes * at + 16, notRun);
    for (const { address } of arrays) {
      putWord(image, next, address);
      next += 8;
    }
  });
}

// ── page tables ─────────────────────────────────────────────────────────────────────────────────────────────────────

const entriesPerTable = 512;

/** Three levels of large pages; three levels and the small pages below them. */
const tablePages = 3 + 3 + guestPages / entriesPerTable;

const present = 1;
const writable = 2;
const large = 0x80;

/** The tables `first` and the one behind it, each with one entry: the next. */
function writeUpperTables(image: Buffer, first: number): void {
  for (const table of [first, first + 1]) {
    putWord(image, table * pageBytes - dataAt, (table + 1) * pageBytes + present + writable);
  }
}

/** All memory at its own address. */
function writePlainTables(image: Buffer, first: number): void {
  writeUpperTables(image, first);
  const directory = (first + 2) * pageBytes - dataAt;
  for (let at = 0; at < guestPages / entriesPerTable; at++) {
    putWord(image, directory + 8 * at, at * entriesPerTable * pageBytes + present + writable + large);
  }
}

interface Guarded {
  /** Pages of struct uk_data and what belongs to it. */
  readonly sharedPages: number;
  readonly codePages: number;
  readonly regions: readonly Region[];
}

/** Page tables of the memory that kernels and the loop around them may touch, each page at its own address. */
function writeGuardedTables(image: Buffer, first: number, { sharedPages, codePages, regions }: Guarded): void {
  writeUpperTables(image, first);
  const directory = (first + 2) * pageBytes - dataAt;
  for (let at = 0; at < guestPages / entriesPerTable; at++) {
    putWord(image, directory + 8 * at, (first + 3 + at) * pageBytes + present + writable);
  }
  const small = (first + 3) * pageBytes - dataAt;
  const map = (firstPage: number, pages: number, flags: number): void => {
    for (let page = firstPage; page < firstPage + pages; page++) {
      putWord(image, small + 8 * page, page * pageBytes + present + flags);
    }
  };
  // The stacks, without page 0.
  map(1, pageOf(0xa_0000) - 1, writable);
  map(pageOf(romAt), pageOf(codeAt) - pageOf(romAt), 0);
  map(pageOf(codeAt), codePages, 0);
  map(pageOf(dataAt), sharedPages, writable);
  for (const { firstPage, pages, array } of regions) map(firstPage, pages, array.isOutput ? writable : 0);
}

// ── results ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function resultOf(after: Buffer, { arrays, workspace }: PlacedCall, offset: number): CallResult {
  const regions = workspace ? [...arrays, workspace] : arrays;
  return {
    trap: trapOf(after, offset + 16),
    arrays: arrays.map(
      ({ address, array }) => new Uint8Array(after.subarray(address - dataAt).subarray(0, array.bytes.length)),
    ),
    overrun: regions.findIndex((region) => isOverrun(after, region)),
  };
}

function isOverrun(after: Buffer, { firstPage, pages, address, array }: Region): boolean {
  const start = firstPage * pageBytes;
  const isRed = (from: number, to: number): boolean =>
    after.subarray(from - dataAt, to - dataAt).every((byte) => byte === redZone);
  return !isRed(start, address) || !isRed(address + array.bytes.length, start + pages * pageBytes);
}

/** UK_RETURNED of guest.h, and what the vector is before. No exceptions have these numbers. */
const returned = 255;
const notRun = 254;
const pageFault = 14;

const exceptions: Readonly<Record<number, string>> = {
  0: "a division",
  6: "an instruction that this processor does not have",
  13: "a general protection fault",
  17: "a misaligned access",
  19: "a floating-point exception",
  [notRun]: "it has not run",
};

function trapOf(after: Buffer, offset: number): Trap | null {
  const word = (at: number): number => Number(after.readBigUInt64LE(offset + at));
  const [vector, error, address] = [word(0), word(8), word(16)];
  if (vector === returned) return null;
  if (vector === pageFault) {
    const what = error & 2 ? "a write to" : "a read of";
    return { what: `${what} ${word(24).toString(16)}, where it may not`, address };
  }
  return { what: exceptions[vector] ?? `exception ${vector}`, address };
}
