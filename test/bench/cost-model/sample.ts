// Records of one task as a comparison takes them: points of its space with their times.

import type { TuningRecord } from "../../../src/tuner/data/record.ts";
import type { RecordDatabase } from "../../../src/tuner/record/database.ts";
import { findPoint, type Point, type SearchSpace, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { type GeneratedSpace, generateSpace } from "../../../src/tuner/space/generate.ts";
import { recordsOf } from "./make-records.ts";
import type { ModelTask } from "./model-tasks.ts";

export interface Sample {
  readonly name: string;
  readonly task: ModelTask["task"];
  readonly space: GeneratedSpace;
  readonly searched: SearchSpace;
  /** Records of candidates that ran, each once. */
  readonly records: readonly TuningRecord[];
  readonly points: readonly Point[];
  readonly ns: readonly number[];
}

export function sampleOf({ name, task }: ModelTask, database: RecordDatabase): Sample {
  const space = generateSpace(task);
  const searched = searchSpace(space, { prior: space.prior });
  const rows = new Map<string, { readonly record: TuningRecord; readonly point: Point; readonly ns: number }>();
  for (const record of recordsOf(database, task)) {
    const point = findPoint(searched, record.candidate);
    if (!point || record.measurement.kind !== "ok") continue;
    rows.set(point.key, { record, point, ns: record.measurement.timing.minNs });
  }
  const list = [...rows.values()];
  return {
    name,
    task,
    space,
    searched,
    records: list.map(({ record }) => record),
    points: list.map(({ point }) => point),
    ns: list.map(({ ns }) => ns),
  };
}
