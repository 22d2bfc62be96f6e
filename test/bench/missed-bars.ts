// Bars that the pages say are missed → the tables of docs/limits.md, with how near the peak ours and the libraries were.

import { textTable } from "../../src/tuner/report/text-table.ts";
import { bestOf, isOf, type Judged } from "./peers/bars.ts";
import { gflopsOf, limitOf, type WorkResult } from "./peers/result.ts";
import { judgedIn, reachedText, type Section, sectionsOf, titleOf, wantedText } from "./peers/section.ts";
import { isMissed, timingText } from "./peers/timing.ts";
import type { Page } from "./peers/write-report.ts";
import type { Bar } from "./search/bars.ts";

/** The tables of all pages, each under a line that names its page. */
export const missedBars = (pages: readonly Page[], search: readonly Bar[]): string =>
  [...pages.map(pageText), searchText(search)].filter((text) => text !== null).join("\n\n");

function pageText({ cpu, suffix, results, timings }: Page): string | null {
  const works = sectionsOf(results).flatMap((section) =>
    judgedIn(section)
      .filter(({ reached, isMet }) => reached !== null && !isMet)
      .map((judged) => [titleOf(section), wantedText(judged), figuresText(judged), ...sharesOf(judged, section)]),
  );
  const slow = timings
    .filter(isMissed)
    .map((timing) => [timing.name, `at most ${timing.atMost} ${timing.unit}`, timingText(timing), "–", "–"]);
  const rows = [...works, ...slow];
  if (rows.length === 0) return null;
  const head = ["", "bar", "reached", "ours, of the peak", "the best of these libraries"];
  return `[${cpu}](peers${suffix}.md):\n\n${textTable(head, rows)}`;
}

/** The figure, and the works that a mean was made without. */
const figuresText = (judged: Judged): string =>
  judged.leftOut.length > 0 ? `${reachedText(judged)} without ${judged.leftOut.join("; ")}` : reachedText(judged);

/** Least and most of the peak that ours, and the fastest library of each work, reached. */
function sharesOf({ bar }: Judged, { results, threads }: Section): readonly [string, string] {
  const works = results.filter((result) => isOf(bar, result));
  const share = (result: WorkResult, ns: number | undefined): readonly number[] => {
    const limit = limitOf(result);
    return limit === null || ns === undefined ? [] : [(100 * gflopsOf(result, ns)) / (threads * limit)];
  };
  return [
    rangeText(works.flatMap((work) => share(work, work.medianNs))),
    rangeText(works.flatMap((work) => share(work, bestOf(work, bar.rivals)?.medianNs))),
  ];
}

function rangeText(shares: readonly number[]): string {
  if (shares.length === 0) return "–";
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map((share) => share.toFixed(0));
  return least === most ? `${least} %` : `${least} to ${most} %`;
}

function searchText(search: readonly Bar[]): string | null {
  const missed = search.filter(({ isMet }) => isMet === false);
  if (missed.length === 0) return null;
  return `[The search](search-bench.md):\n\n${missed.map(({ title, figures }) => `- ${title}: ${figures}`).join("\n")}`;
}
