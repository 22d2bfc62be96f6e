// The tests that were skipped → those that should not have been. skips.json has every skip that there may be: which tests,
// what the machine lacks, why. CI has what `inCI` says, so there the skip is an error, as is one that is not listed.

import { readFileSync } from "node:fs";
import picomatch from "picomatch";

/** The list that is committed. */
export const listed = JSON.parse(readFileSync(new URL("skips.json", import.meta.url), "utf8"));

const matches = ({ files, names }, { file, name }) => picomatch(files)(file) && new RegExp(names).test(name);

/**
 * Why a test should not have been skipped; null if it may be.
 *
 * @param test its file from the root with "/", and its full name
 * @param environment isHere and isDeclined by the name of a need, isCI
 */
export function complaintOf(test, environment, { needs, skips } = listed) {
  const entries = skips.filter(({ tests }) => tests.some((pattern) => matches(pattern, test)));
  if (entries.length === 0) return "no skip of it is listed";
  const lacking = [...new Set(entries.flatMap(({ lacks }) => lacks))].filter((name) => !environment.isHere(name));
  if (lacking.length === 0) return `what it needs is here: ${entries.flatMap(({ lacks }) => lacks).join(", ")}`;
  const isExcused = (name) => !environment.isCI || !needs[name].inCI || environment.isDeclined(name);
  if (lacking.some(isExcused)) return null;
  return `CI has to have what it needs: ${lacking.map((name) => `${name} (${needs[name].what})`).join(", ")}`;
}

/**
 * The patterns that fit none of these tests, skipped or not, so that the list stays as the tests are. Those marked
 * `onlySkipped` are of tests that are there only to show what was left out.
 *
 * @param tests of a run of everything
 */
export function stalePatterns(tests, { skips } = listed) {
  return skips
    .flatMap((entry) => entry.tests)
    .filter((pattern) => !pattern.onlySkipped && !tests.some((test) => matches(pattern, test)));
}
