// The short table of docs/peers.md: each section's works against the fastest library of each.

import { textTable } from "../../../src/tuner/report/text-table.ts";
import { geometricMean, isSteady, type NamedRatio, ownNames, ratiosAgainst } from "./bars.ts";
import { attemptsOf, type WorkResult } from "./result.ts";
import { namesOf, type Section, sectionsOf, titleOf, wideText } from "./section.ts";

/** One row a section, and below it the works by Winograd's algorithm and the others, where there are both. */
export function summaryTable(results: readonly WorkResult[]): string {
  const rows = sectionsOf(results).flatMap((section) => [
    ...rowOf(titleOf(section), section.results),
    ...byAlgorithm(section).flatMap(([name, works]) => rowOf(`– ${name}`, works)),
  ]);
  return textTable(["", "works", "× the best library", "over all attempts", "left out", "of"], rows);
}

function byAlgorithm({ results }: Section): readonly (readonly [name: string, works: readonly WorkResult[]])[] {
  const isWinograd = ({ candidate }: WorkResult): boolean => candidate.template.startsWith("winograd");
  const [fast, plain] = [results.filter(isWinograd), results.filter((work) => !isWinograd(work))];
  return fast.length > 0 && plain.length > 0
    ? [
        ["by Winograd", fast],
        ["the others", plain],
      ]
    : [];
}

/** Nothing where no library was measured. */
function rowOf(title: string, results: readonly WorkResult[]): readonly string[][] {
  const libraries = librariesOf(results);
  const all = ratiosAgainst(results, libraries);
  if (all.length === 0) return [];
  const steady = all.filter(({ ratio }) => isSteady(ratio));
  const leftOut = all.filter((it) => !steady.includes(it));
  return [
    [
      title,
      `${all.length}`,
      meanText(steady),
      attemptsText(results, steady),
      leftOut.map(({ name }) => name).join("; ") || "–",
      libraries.map((name) => libraryText(name, results)).join(", "),
    ],
  ];
}

const librariesOf = (results: readonly WorkResult[]): readonly string[] =>
  namesOf(results).filter((name) => !ownNames.includes(name));

/** @example "0.99 (0.94 … 1.11)" */
function meanText(steady: readonly NamedRatio[]): string {
  if (steady.length === 0) return "–";
  const values = steady.map(({ ratio }) => ratio.median);
  return `${geometricMean(values).toFixed(2)} (${Math.min(...values).toFixed(2)} … ${Math.max(...values).toFixed(2)})`;
}

/** The works of a section that are in no mean, with their ratios; null: there are none. */
export function leftOutText(results: readonly WorkResult[]): string | null {
  const wide = ratiosAgainst(results, librariesOf(results)).filter(({ ratio }) => !isSteady(ratio));
  return wide.length > 0 ? `Not steady against the fastest library: ${wide.map(wideText).join("; ")}.` : null;
}

/** A library, and how many of the works it was measured on unless that is all. */
function libraryText(name: string, results: readonly WorkResult[]): string {
  const count = results.filter(({ rivals }) => rivals.some((rival) => rival.name === name)).length;
  return count === results.length ? name : `${name} (${count})`;
}

/** How many attempts each work had; and of those that are in the mean, the means of their worst and of their best attempts. */
function attemptsText(results: readonly WorkResult[], steady: readonly NamedRatio[]): string {
  const counts = results.map((result) => attemptsOf(result).length);
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  const count = fewest === most ? `${most} each` : `${fewest} to ${most}`;
  if (most === 1 || steady.length === 0) return count;
  const ratios = results
    .filter(({ name }) => steady.some((it) => it.name === name))
    .map(attemptsOf)
    .map((all) => ratiosAgainst(all, librariesOf(all)).map(({ ratio }) => ratio.median));
  const mean = (pick: (...medians: number[]) => number): string =>
    geometricMean(ratios.map((medians) => pick(...medians))).toFixed(2);
  return `${count}: ${mean(Math.min)} … ${mean(Math.max)}`;
}
