// Rows of `npm run bench:webgpu`: what all entrants of a work took on one device.

import type { Candidate } from "../../../src/tuner/data/space.ts";
import { median } from "../../../src/tuner/measure/statistics.ts";
import type { Placed } from "./contest.ts";

export interface GpuRow {
  readonly work: string;
  readonly adapter: string;
  readonly driver: string;
  readonly flops: number;
  readonly rounds: number;
  /** Processes that wanted a core, on the average of the last minute. */
  readonly load: number;
  readonly schedules: Readonly<Record<string, Candidate>>;
  /** Versions of the libraries. */
  readonly versions: Readonly<Record<string, string>>;
  readonly placed: readonly Placed[];
}

/** Time of an entrant over that of a schedule of ours, the median of the rounds; null: one of them has none. */
export function ratioTo({ placed }: Pick<GpuRow, "placed">, name: string, ours = "predicted"): number | null {
  const [own, other] = [ours, name].map((each) => placed.find((it) => it.name === each)?.samples ?? []);
  const ratios = own!.flatMap((ms, round) => (other![round] === undefined ? [] : [other![round] / ms]));
  return ratios.length > 0 ? median(ratios) : null;
}
