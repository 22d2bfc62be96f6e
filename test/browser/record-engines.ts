// Runs the tests of browsers → test/browser/engines.json, what they saw of each engine, and docs/engines.md. All engines have to be there and
// all tests to pass, or nothing is written.
//
//     npm run test:engines                        runs the tests, and downloads MDN's data for the run (20 MB)
//     npm run test:engines -- --report file.json  takes what vitest's JSON reporter has written

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { EnginesRecord } from "../support/engine/record.ts";
import { enginesOf, enginesPage } from "../support/engine/record.ts";
import type { Seen } from "../support/engine/saw.ts";
import { type CompatData, versionsIn } from "../support/engine/versions.ts";

const root = resolve(import.meta.dirname, "../..");
const compatPackage = "@mdn/browser-compat-data";
const compatVersion = "8.1.9";

/** Part of vitest's JSON report that is read here. */
interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly meta?: { readonly seen?: readonly Seen[] };
    }[];
  }[];
}

function run(command: string, ...args: readonly string[]): void {
  const env = { ...process.env, TEST_LONG: "1" };
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", env });
  if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${status}`);
}

function runTests(): string {
  const file = join(root, "out/engines-report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  run("npx", "vitest", "run", "test/browser", "--maxWorkers=1", ...reporters);
  return file;
}

function compatData(): CompatData {
  const folder = join(root, "out/browser-compat-data");
  mkdirSync(folder, { recursive: true });
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--loglevel=error"];
  run("npm", "install", `${compatPackage}@${compatVersion}`, "--prefix", folder, ...quiet);
  return JSON.parse(readFileSync(join(folder, "node_modules", compatPackage, "data.json"), "utf8"));
}

const [option, given] = process.argv.slice(2);
const report: Report = JSON.parse(readFileSync(option === "--report" && given ? given : runTests(), "utf8"));
const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
const notPassed = tests.filter(({ status }) => status !== "passed");
if (notPassed.length > 0)
  throw new Error(["these did not pass:", ...notPassed.map(({ fullName }) => fullName)].join("\n  "));

const record: EnginesRecord = {
  date: new Date().toISOString().slice(0, 10),
  engines: enginesOf(tests.flatMap(({ meta }) => meta?.seen ?? [])),
  compat: { package: compatPackage, version: compatVersion, versions: versionsIn(compatData()) },
};
writeFileSync(join(root, "test/browser/engines.json"), `${JSON.stringify(record, null, 2)}\n`);
writeFileSync(join(root, "docs/engines.md"), enginesPage(record));
console.log(enginesPage(record));
