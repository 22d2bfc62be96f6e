// A profile → where the time went, as text: milliseconds, share and a bar for each part, in the order of a tuning.

import { type Profile, sharesOf, type TuningPart, tuningParts } from "../support/profile.ts";
import { duration, percent } from "../support/readable-number.ts";

const barWidth = 40;

/** Returns the milliseconds of each part, in the order of a tuning. */
export const timeParts = (profile: Profile): readonly { readonly part: TuningPart; readonly ms: number }[] =>
  tuningParts.map((part) => ({ part, ms: profile[part] }));

/** @example console.log(timeSplit(profiler.profile())) */
export function timeSplit(profile: Profile): string {
  const shares = sharesOf(profile);
  const lines = tuningParts.map((part) => {
    const bar = "█".repeat(Math.round(shares[part] * barWidth));
    const figures = `${duration(profile[part] * 1e6).padStart(9)} ${percent(shares[part]).padStart(7)}`;
    return `${part.padEnd(10)} ${figures}  ${bar}`.trimEnd();
  });
  const total = tuningParts.reduce((sum, part) => sum + profile[part], 0);
  return [...lines, `${"all".padEnd(10)} ${duration(total * 1e6).padStart(9)}`].join("\n");
}

/** Returns the share of time for deciding: drawing, searching, and the cost model. */
export function decidingShare(profile: Profile): number {
  const { sampling, search, prediction, training } = sharesOf(profile);
  return sampling + search + prediction + training;
}
