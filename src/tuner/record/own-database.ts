// A database of records that a user brings, as a plain object of two functions → one with all queries, whose answers are checked.

import { aFunction, badAnswer, callOwn, requireFields } from "../../compiler/index.ts";
import { decodeRecord } from "../data/decode-record.ts";
import type { TuningRecord } from "../data/record.ts";
import { ShapeError } from "../support/strict.ts";
import { fastestOf, isDatabaseOfOurs, matches, type RecordDatabase, type RecordQuery } from "./database.ts";

/**
 * Keeps measurements, such as in a table of a database server. Both functions are synchronous: what takes long is read before
 * the tuning, and written after it or behind it.
 *
 * @example
 * const kept: TuningRecord[] = [];
 * const database: OwnDatabase = { records: () => kept, append: (record) => void kept.push(record) };
 */
export interface OwnDatabase {
  /** Returns the records that match, the oldest first. It may return others too: they are left out. */
  readonly records: (query: RecordQuery) => readonly TuningRecord[];
  /** Keeps a record: plain JSON. */
  readonly append: (record: TuningRecord) => void;
}

/** @throws DiagnosticError `extension.malformed`; later, when asked, `extension.threw` and `extension.bad-answer` */
export function ownDatabase(database: OwnDatabase | RecordDatabase): RecordDatabase {
  if (isDatabaseOfOurs(database)) return database;
  requireFields<OwnDatabase>("records", database, { records: aFunction, append: aFunction });
  const records = (query: RecordQuery): readonly TuningRecord[] => {
    const answer: unknown = callOwn("records of the database", () => database.records(query));
    if (!Array.isArray(answer)) throw badAnswer("records of the database", answer, "a list of records");
    return answer.map((record: unknown) => checked(record)).filter((record) => matches(record, query));
  };
  return {
    skippedLines: 0,
    records,
    fastest: (query, count) => fastestOf(records(query)).slice(0, count),
    best: (query) => fastestOf(records(query))[0] ?? null,
    append(record) {
      const answer: unknown = callOwn("append of the database", () => database.append(record));
      if (!(answer instanceof Promise)) return;
      // No code awaits the promise, and its rejection must not end the process.
      answer.catch(() => undefined);
      throw badAnswer("append of the database", answer, "nothing: it is synchronous, and no promise");
    },
  };
}

function checked(record: unknown): TuningRecord {
  try {
    return decodeRecord(record, ["record"]);
  } catch (error) {
    if (error instanceof ShapeError) throw badAnswer("records of the database", record, `a record: ${error.message};`);
    throw error;
  }
}
