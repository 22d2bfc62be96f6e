// Results that came back in a kernel's folder → records of this project. Times are made relative to those of a candidate that was measured
// before: the machine may be another one of its kind, or warmer.

import { existsSync, readFileSync } from "node:fs";
import { refuse } from "../../compiler/index.ts";
import { canonicalJson } from "../data/key.ts";
import { scaled, searchedNs } from "../data/measurement.ts";
import type { TuningRecord } from "../data/record.ts";
import type { TuningTask } from "../data/task.ts";
import type { RecordDatabase } from "../record/database.ts";
import { importRecords, linesOf } from "../record/merge.ts";
import { openResults } from "../remote/batch.ts";
import { foreignness, recordsOfResults } from "../remote/run-batch.ts";
import { openBatchOf, resultsFile } from "./kernel-folder.ts";

/** State of a kernel's folder, as its task finds it. */
export type Returned =
  /** Nothing, or what another operator or version has left. */
  | { readonly kind: "none" }
  /** A batch that nobody has measured. */
  | { readonly kind: "waiting"; readonly candidates: number }
  | { readonly kind: "measured"; readonly measuredBy: string; readonly added: number };

/** @throws DiagnosticError `batch.malformed` */
export function importReturned(folder: string, task: TuningTask, taskKey: string, database: RecordDatabase): Returned {
  const batch = openBatchOf(folder);
  if (batch?.kind !== "ok" || foreignness(batch.body, taskKey) !== null) return { kind: "none" };
  const path = resultsFile(folder);
  if (!existsSync(path)) return { kind: "waiting", candidates: batch.body.candidates.length };
  const results = openResults(readFileSync(path, "utf8"));
  if (results.kind === "malformed") throw malformed(path, results.reason);
  const { body } = results;
  if (body.batch !== batch.digest || foreignness(body, taskKey) !== null)
    throw malformed(path, "it is of another batch");
  const records = relative(recordsOfResults(body, task), database);
  const { added } = importRecords(database, linesOf(records));
  return { kind: "measured", measuredBy: body.toolchain, added };
}

const malformed = (path: string, reason: string) =>
  refuse("batch.malformed", `${path} is not used: ${reason}`, "measure again there: node measure.mjs");

/** Scales times by those of the first candidate that is known, which is left out. */
function relative(records: readonly TuningRecord[], database: RecordDatabase): readonly TuningRecord[] {
  for (const { candidate, measurement, task, targetClass, toolchain, codegen } of records) {
    const nowNs = searchedNs(measurement);
    const known = database.records({ task, targetClass, toolchain, codegen });
    const best = known.find((it) => canonicalJson(it.candidate) === canonicalJson(candidate));
    const thenNs = best ? searchedNs(best.measurement) : null;
    if (nowNs === null || thenNs === null) continue;
    return records
      .filter((record) => record.candidate !== candidate)
      .map((record) => ({ ...record, measurement: scaled(record.measurement, thenNs / nowNs) }));
  }
  return records;
}
