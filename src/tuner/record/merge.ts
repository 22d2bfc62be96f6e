// Records from one database into another: lines of text out, lines of text in, each record once.

import { canonicalJson } from "../data/key.ts";
import type { TuningRecord } from "../data/record.ts";
import { parseRecords, type RecordDatabase, type RecordQuery } from "./database.ts";

export interface Merged {
  readonly added: number;
  /**
   * Number of records that were there already, every field of them. Another measurement of the same candidate is another
   * record.
   */
  readonly duplicates: number;
  /** Number of lines that are no records: torn, of an unknown schema, or with an unknown field. */
  readonly skippedLines: number;
}

/** Prints the records that a query finds, as the text of a database of their own. */
export const exportRecords = (database: RecordDatabase, query: RecordQuery): string => linesOf(database.records(query));

export const linesOf = (records: readonly TuningRecord[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

/**
 * Adds the records of a database's text. They keep their task, target class and toolchain, so that queries for others do not
 * find them. Merging a text again adds nothing.
 *
 *     const { added } = importRecords(openDatabase("records.jsonl"), await readFile("from-the-server.jsonl", "utf8"));
 */
export function importRecords(database: RecordDatabase, content: string): Merged {
  const { records, skippedLines } = parseRecords(content);
  const known = new Set(database.records({ task: null, targetClass: null }).map(canonicalJson));
  let added = 0;
  for (const record of records) {
    const identity = canonicalJson(record);
    if (known.has(identity)) continue;
    known.add(identity);
    database.append(record);
    added += 1;
  }
  return { added, duplicates: records.length - added, skippedLines };
}
