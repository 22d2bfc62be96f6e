// Runs the tests that CI leaves out as they take long (support/long.ts), and those others of their files; the record is a line of
// test/runs.jsonl. An hour and a half on two cores:
//
//     npm run test:long
//     npm run test:long -- test/site

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmRun, recordRun } from "./support/record-run.js";
import { runVitest } from "./support/run-vitest.js";

const folder = fileURLToPath(new URL(".", import.meta.url));
/** Names by which a file is known to have such tests. */
const marks = /support\/long\.ts"|inPageEngines|inEngineInTurn/;
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".test.ts") && !path.includes("node_modules"))
  .map((path) => join("test", path).replaceAll("\\", "/"))
  .filter((path) => marks.test(readFileSync(join(folder, "..", path), "utf8")));

const given = process.argv.slice(2);
const wanted = given.length === 0 ? files : files.filter((file) => given.some((part) => file.includes(part)));
if (wanted.length === 0) {
  console.error(`no file with long tests has such a name: there are ${files.join(", ")}`);
  process.exit(2);
}
const { status, result } = runVitest(wanted, { TEST_LONG: "1" });
recordRun(npmRun("test:long"), result);
process.exitCode = status;
