// The record database: a file of JSON lines that is only ever appended to. Processes may share it, and a kill -9 costs at
// most the line being written: a torn line is skipped by readers. The best is a query, never a separate truth.

import { decodeRecord, maxReasonLength } from "../data/decode-record.ts";
import { searchedNs } from "../data/measurement.ts";
import type { TuningRecord } from "../data/record.ts";
import { ShapeError } from "../support/strict.ts";
import { appendLine, readOrEmpty } from "./append-line.ts";

/** Fields that records must match; null, or a missing toolchain or code generator, matches any. */
export interface RecordQuery {
  readonly task: string | null;
  readonly targetClass: string | null;
  readonly toolchain?: string | null;
  readonly codegen?: string | null;
}

/** Query for the fastest records. It names a task and a machine: times of different ones are not compared. */
export interface TaskQuery extends RecordQuery {
  readonly task: string;
  readonly targetClass: string;
}

export interface RecordDatabase {
  /** Number of lines that were not trusted: torn, of another schema, or with an unknown field. */
  readonly skippedLines: number;
  /**
   * Returns matching records in the order of the file. Records of other processes are known only if they were written
   * before the database was opened.
   */
  records(query: RecordQuery): readonly TuningRecord[];
  /** Returns records with a time, the fastest first; where a candidate has several, only its fastest. */
  fastest(query: TaskQuery, count: number): readonly TuningRecord[];
  /** Returns the fastest; null: nothing ran. */
  best(query: TaskQuery): TuningRecord | null;
  /**
   * Adds the record in memory, then to the file. Throws what the file system throws (full disk): memory keeps it. A
   * record that could not be read back is a bug of ours and throws too.
   */
  append(record: TuningRecord): void;
}

/**
 * Opens the database at `path`; a missing file is an empty one, and is created by the first append.
 *
 *     const database = openDatabase(".unplugin-kernel/records.jsonl");
 *     database.append(record);
 *     const best = database.best({ task, targetClass });
 */
export function openDatabase(path: string): RecordDatabase {
  return databaseOf(readOrEmpty(path), (line) => appendLine(path, line));
}

/** Makes an empty database that keeps its records in memory alone. */
export const memoryDatabase = (): RecordDatabase => databaseOf("", () => undefined);

function databaseOf(content: string, write: (line: string) => void): RecordDatabase {
  const { records, skippedLines } = parseRecords(content);
  const matching = (query: RecordQuery) => records.filter((record) => matches(record, query));
  const database: RecordDatabase = {
    skippedLines,
    records: matching,
    fastest: (query, count) => fastestOf(matching(query)).slice(0, count),
    best: (query) => fastestOf(matching(query))[0] ?? null,
    append(record) {
      const line = JSON.stringify(clipped(record));
      const written = decodeRecord(JSON.parse(line), []);
      records.push(written);
      write(line);
    },
  };
  ours.add(database);
  return database;
}

/** Databases of this file, whose records are checked when they are read. */
const ours = new WeakSet<object>();

export const isDatabaseOfOurs = (database: object): database is RecordDatabase => ours.has(database);

/** Reads a database's text. A line that is not exactly a record is skipped and counted, never half trusted. */
export function parseRecords(content: string): { readonly records: TuningRecord[]; readonly skippedLines: number } {
  const lines = content.split("\n").filter((line) => line.trim() !== "");
  const records = lines.map(parseLine).filter((record) => record !== null);
  return { records, skippedLines: lines.length - records.length };
}

function parseLine(line: string): TuningRecord | null {
  try {
    return decodeRecord(JSON.parse(line), []);
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Shortens a record's reason: compilers' messages have any length. */
function clipped(record: TuningRecord): TuningRecord {
  const { measurement } = record;
  if (!("reason" in measurement)) return record;
  const reason = measurement.reason.replaceAll("\0", "").slice(0, maxReasonLength);
  return { ...record, measurement: { ...measurement, reason } };
}

export const matches = (
  record: TuningRecord,
  { task, targetClass, toolchain = null, codegen = null }: RecordQuery,
): boolean =>
  (task === null || record.task === task) &&
  (targetClass === null || record.targetClass === targetClass) &&
  (toolchain === null || record.toolchain === toolchain) &&
  (codegen === null || record.codegen === codegen);

/** Nanoseconds that records are sorted by; infinite for one that failed. */
export const recordedNs = ({ measurement }: TuningRecord): number =>
  searchedNs(measurement) ?? Number.POSITIVE_INFINITY;

const identity = ({ task, targetClass, candidate }: TuningRecord): string =>
  JSON.stringify([task, targetClass, candidate.template, Object.entries(candidate.assignment).sort()]);

export function fastestOf(records: readonly TuningRecord[]): TuningRecord[] {
  const timed = records.filter((record) => record.measurement.kind === "ok");
  const sorted = timed.sort((left, right) => recordedNs(left) - recordedNs(right));
  const seen = new Set<string>();
  return sorted.filter((record) => !seen.has(identity(record)) && seen.add(identity(record)));
}
