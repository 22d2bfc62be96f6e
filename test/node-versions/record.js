// runs.jsonl beside this file, which is committed: a line for each part of the suite that was run on a version of Node.

import { appendFileSync, existsSync, readFileSync } from "node:fs";

const file = new URL("runs.jsonl", import.meta.url);

const readLines = () =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    : [];

/**
 * Says whether these files of a part were run on this code with this Node, and nothing failed. A record never counts
 * for code with uncommitted changes.
 *
 * @param {{ commit: string, node: string, part: string, files: string[] | "all" }} of
 */
export const isFinished = ({ commit, node, part, files }) =>
  !commit.endsWith("-dirty") &&
  readLines().some(
    (line) =>
      line.commit === commit &&
      line.node === node &&
      line.part === part &&
      String(line.files) === String(files) &&
      line.failed === 0,
  );

/** @param line { date, commit, node, part, files, passed, failed, skipped } */
export const record = (line) => appendFileSync(file, `${JSON.stringify(line)}\n`);
