// The records of one task → its candidates and its tunings, as a report has them.

import { searchedNs } from "../../tuner/data/measurement.ts";
import type { TuningRecord } from "../../tuner/data/record.ts";
import type { Candidate } from "../../tuner/data/space.ts";
import { timeParts } from "../../tuner/report/time-split.ts";
import { candidateKey } from "../../tuner/search/point/search-space.ts";
import { startHistory } from "../../tuner/tuning/tuning-history.ts";
import type { LoggedTuning } from "../../tuner/tuning/tuning-log.ts";
import type { CandidateReport, KernelReport, TemplateReport, TuningReport } from "./report-data.ts";

type Measurements = Pick<KernelReport, "templates" | "candidates" | "winner" | "default" | "againstDefault">;

/** @param records of one task, machine and toolchain */
export function measurementsOf(
  records: readonly TuningRecord[],
  winner: Candidate,
  predicted: Candidate | null,
): Measurements {
  const templates = templatesOf(records);
  const fastest = (wanted: Candidate | null): number | null => wanted && fastestOf(records, candidateKey(wanted));
  const places = { winner: fastest(winner), default: fastest(predicted) };
  const nsAt = (place: number | null): number | null => (place === null ? null : nsOf(records[place]!));
  const [winnerNs, defaultNs] = [nsAt(places.winner), nsAt(places.default)];
  return {
    templates,
    candidates: records.map((record) => candidateReport(record, templates)),
    ...places,
    againstDefault: winnerNs === null || defaultNs === null ? null : { winnerNs, defaultNs },
  };
}

const nsOf = ({ measurement }: TuningRecord): number | null => searchedNs(measurement);

function templatesOf(records: readonly TuningRecord[]): readonly TemplateReport[] {
  const tunables = new Map<string, Set<string>>();
  for (const { candidate } of records) {
    const known = tunables.get(candidate.template) ?? new Set();
    tunables.set(candidate.template, new Set([...known, ...Object.keys(candidate.assignment)]));
  }
  return [...tunables].map(([name, names]) => ({ name, tunables: [...names] }));
}

function candidateReport(
  { candidate, measurement }: TuningRecord,
  templates: readonly TemplateReport[],
): CandidateReport {
  const template = templates.findIndex(({ name }) => name === candidate.template);
  const values = templates[template]!.tunables.map((name) => candidate.assignment[name] ?? 0);
  return { template, values, ns: searchedNs(measurement), status: measurement.kind, reason: reasonOf(measurement) };
}

function reasonOf(measurement: TuningRecord["measurement"]): string | null {
  if (measurement.kind === "ok") return null;
  return measurement.kind === "timed-out" ? `not done after ${measurement.deadlineMs} ms` : measurement.reason;
}

/** Place of the fastest record of a candidate, or of one that failed; null: there is none. */
function fastestOf(records: readonly TuningRecord[], key: string): number | null {
  const places = [...records.keys()].filter((place) => candidateKey(records[place]!.candidate) === key);
  const ns = (place: number): number => nsOf(records[place]!) ?? Number.POSITIVE_INFINITY;
  return places.reduce<number | null>((best, place) => (best === null || ns(place) < ns(best) ? place : best), null);
}

/** Tunings as they were logged; what was measured in one that was not, as it is in the records. */
export function tuningsOf(records: readonly TuningRecord[], logged: readonly LoggedTuning[]): readonly TuningReport[] {
  if (logged.length > 0) return logged.map(tuningReport);
  return records.length > 0 ? [recordedTuning(records)] : [];
}

function tuningReport({ strategy, ended, measured, elapsedMs, history, profile }: LoggedTuning): TuningReport {
  const timeSplit = timeParts(profile);
  const wasTimed = timeSplit.some(({ ms }) => ms > 0);
  const { improvements } = history;
  return { strategy, ended, measured, elapsedMs, improvements, timeSplit: wasTimed ? timeSplit : null };
}

/** Tuning as the records tell it, without times of the clock: records have none. */
function recordedTuning(records: readonly TuningRecord[]): TuningReport {
  const history = startHistory();
  for (const { candidate, measurement } of records) history.add({ candidate, measurement, elapsedMs: 0 });
  const { improvements } = history.summary().history;
  return {
    strategy: null,
    ended: null,
    measured: records.length,
    elapsedMs: null,
    improvements: improvements.map(([trial, , ns]) => [trial, null, ns]),
    timeSplit: null,
  };
}
