// Bars for the search, and whether it meets them: met or missed, with the figures and the place where it missed.

import { decidingShare } from "../../../src/tuner/report/time-split.ts";
import {
  type Contest,
  type Standing,
  shares,
  standingsOf,
  sumOfProfiles,
  timedOutShareOf,
  validShareOf,
} from "./summary.ts";

export interface Bar {
  readonly title: string;
  /** Null: the runs that it needs are not there. */
  readonly isMet: boolean | null;
  readonly figures: string;
}

const at95 = shares.indexOf(0.95);

export function barsOf(contests: readonly Contest[]): readonly Bar[] {
  const ranked = contests.map((contest) => ({ ...contest, standings: standingsOf(contest) }));
  return [soonEnough(ranked), inOrder(ranked), valid(contests), decidedQuickly(contests)];
}

type Ranked = Contest & { readonly standings: readonly Standing[] };

const named = ({ standings }: Ranked, name: string): Standing | undefined =>
  standings.find(({ strategy }) => strategy === name);
const placeOf = ({ task, target }: Contest): string => `${task} ${target}`;
export const secondsText = (value: number): string => (Number.isFinite(value) ? `${value.toFixed(1)} s` : "never");

/** Each task on each target for itself: an average would hide the one that people wait for. */
function soonEnough(contests: readonly Ranked[]): Bar {
  const reached = contests.flatMap((contest) => {
    const seconds = named(contest, "default")?.seconds[at95];
    return seconds ? [{ place: placeOf(contest), ...seconds }] : [];
  });
  const late = reached.filter(({ middle, worst }) => middle > 10 || worst > 30);
  const lateText = late.map(({ place, middle, worst }) => `${place} ${secondsText(middle)} / ${secondsText(worst)}`);
  return {
    title: "default reaches 95 % of the best known in ≤ 10 s (median) and ≤ 30 s (worst) on each task and target",
    isMet: reached.length === 0 ? null : late.length === 0,
    figures: outOf(reached.length - late.length, reached.length, lateText),
  };
}

function inOrder(contests: readonly Ranked[]): Bar {
  const order = ["cga", "evolutionary", "random"];
  const compared = contests.flatMap((contest) => {
    const trials = order.map((name) => named(contest, name)?.trials[at95]?.middle);
    return trials.every((it) => it !== undefined) ? [{ place: placeOf(contest), trials }] : [];
  });
  const wrong = compared.filter(({ trials: [a, b, c] }) => !(a! <= b! && b! <= c!));
  const texts = wrong.map(({ place, trials }) => `${place} ${trials.map(trialsText).join(" / ")}`);
  return {
    title: "CGA needs no more candidates to 95 % than evolutionary, and that no more than random (medians)",
    isMet: compared.length === 0 ? null : wrong.length === 0,
    figures: outOf(compared.length - wrong.length, compared.length, texts),
  };
}

export const trialsText = (value: number): string => (Number.isFinite(value) ? String(value) : "never");

function valid(contests: readonly Contest[]): Bar {
  const runs = contests.flatMap((contest) => contest.runs);
  const [share, timedOut] = [validShareOf(runs), timedOutShareOf(runs)];
  const worse = contests.filter(({ runs }) => validShareOf(runs) < 0.99);
  const texts = worse.map((contest) => `${placeOf(contest)} ${twoDigits(validShareOf(contest.runs))}`);
  return {
    title: "≥ 99 % of the measured candidates are valid",
    isMet: runs.length === 0 ? null : share >= 0.99,
    figures: `${twoDigits(share)} of all, ${twoDigits(timedOut)} timed out${texts.length > 0 ? `; below: ${texts.join(", ")}` : ""}`,
  };
}

function decidedQuickly(contests: readonly Contest[]): Bar {
  const shares = contests.flatMap((contest) => {
    const runs = contest.runs.filter(({ strategy }) => strategy === "default");
    return runs.length > 0 ? [{ place: placeOf(contest), runs, share: decidingShare(sumOfProfiles(runs)) }] : [];
  });
  const over = shares.filter(({ share }) => share > 0.25).map(({ place, share }) => `${place} ${twoDigits(share)}`);
  const runs = shares.flatMap((it) => it.runs);
  const all = runs.length > 0 ? decidingShare(sumOfProfiles(runs)) : 0;
  return {
    title: "sampling, search and model take ≤ 25 % of the tuning time of default",
    isMet: runs.length === 0 ? null : all <= 0.25,
    figures: `${twoDigits(all)} of all${over.length > 0 ? `; above: ${over.join(", ")}` : ""}`,
  };
}

const twoDigits = (share: number): string => `${(share * 100).toFixed(2)} %`;

const outOf = (good: number, all: number, bad: readonly string[]): string =>
  `${good} of ${all}${bad.length > 0 ? `; not: ${bad.join(", ")}` : ""}`;

export const barText = ({ title, isMet, figures }: Bar): string =>
  `${isMet === null ? "not run" : isMet ? "met" : "missed"}: ${title}: ${figures}`;
