// Describes a tuning in which nothing ran: how many failed in which way, with an example of each, and what may help.

import type { Numerics } from "../../compiler/index.ts";
import type { Failure, TuneResult } from "./tuning.ts";

export const reasonOf = ({ measurement }: Failure): string =>
  measurement.kind === "timed-out" ? `it did not end within ${measurement.deadlineMs} ms` : measurement.reason;

export const countOf = (failures: readonly Failure[]): string =>
  failures.length === 1 ? "1 candidate" : `${failures.length} candidates`;

/** "3 candidates crashed, as: RuntimeError: unreachable; 1 candidate timed-out, as: it did not end within 3000 ms" */
export function failureText(failures: readonly Failure[]): string {
  const kinds = [...new Set(failures.map(({ measurement }) => measurement.kind))];
  const parts = kinds.map((kind) => {
    const alike = failures.filter(({ measurement }) => measurement.kind === kind);
    return `${countOf(alike)} ${kind}, as: ${reasonOf(alike[0]!)}`;
  });
  return parts.join("; ");
}

export interface NothingRan {
  readonly message: string;
  readonly hint: string;
}

/** @param name of the kernel or the operator */
export function nothingRan(
  name: string,
  { failures, late }: Pick<TuneResult, "failures" | "late">,
  numerics: Numerics,
): NothingRan {
  const reasons = [failures.length > 0 ? failureText(failures) : null, late && `there was no time for others: ${late}`];
  return {
    message: `${name}: nothing could be measured: ${reasons.filter((it) => it !== null).join("; ")}`,
    hint: hintOf(failures, late, numerics),
  };
}

function hintOf(failures: readonly Failure[], late: string | null, numerics: Numerics): string {
  const has = (kind: string): boolean => failures.some(({ measurement }) => measurement.kind === kind);
  if (has("ill-conditioned"))
    return 'numerics: "strict" computes as the reference does, to the bit; or add up and subtract in f64';
  if (has("wrong-result"))
    return `wrong results are a bug of unplugin-kernel: please report it${numerics === "fast" ? '; numerics: "strict" may do meanwhile' : ""}`;
  if (late !== null) return "give it more seconds";
  if (has("build-failed"))
    return "unplugin-kernel doctor tries the compiler, and UNPLUGIN_KERNEL_COMPILER names another one; or a check of your own refuses all of them";
  return "where the reason is not this machine's, please report it";
}

/** Says whether only a lack of time kept schedules from being measured. */
export const isOnlyLate = ({ winner, failures, late, ended }: TuneResult): boolean =>
  winner === null && failures.length === 0 && (late !== null || ended === "budget");
