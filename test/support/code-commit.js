// Commit of the code that a record is about: the last one that changed it. Commits of documents and records do not
// count, as they change nothing that was measured.

import { execFileSync } from "node:child_process";

/**
 * Twelve digits, and `-dirty` where there are changes that no commit has.
 *
 * @param {readonly string[]} folders what counts as the code
 * @example codeCommit("src", "test/support") // "3568812197b8"
 */
export function codeCommit(...folders) {
  const git = (...args) => execFileSync("git", [...args, "--", ...folders], { encoding: "utf8" }).trim();
  const isDirty = git("status", "--porcelain") !== "";
  return `${git("log", "-1", "--abbrev=12", "--format=%h")}${isDirty ? "-dirty" : ""}`;
}
