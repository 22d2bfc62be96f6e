// Plants each defect of defects.json and says which test fails with it; fails where none does. Those with `tests` have to be found by
// these; the others are defects that the compiler once had, and operators are drawn until one of them fails, 200 at most.
//
//     npm run test:planted
//     npm run test:planted -- --seed 7
//     npm run test:planted -- --only "rank 0"
//     npm run test:planted -- --quick              those with tests alone, for CI: some seconds each; leaves no line in test/runs.jsonl

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { npmRun, recordRun } from "../../support/record-run.js";

const options = {
  seed: { type: "string", default: "1" },
  only: { type: "string", default: "" },
  quick: { type: "boolean", default: false },
};
const { seed, only, quick } = parseArgs({ options }).values;
const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const defects = JSON.parse(readFileSync(new URL("defects.json", import.meta.url), "utf8"));
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

/** The first test that fails, with the operators that it drew in its name; null: none does. */
function firstFailure({ name, tests: file = "test/property/drawn-operators.test.ts" }) {
  const folder = mkdtempSync(join(tmpdir(), "planted-"));
  const report = join(folder, "report.json");
  const config = ["--config", "test/sweep/planted/planted.config.ts", "--root", root];
  const args = [vitest, "run", ...config, "--reporter=json", `--outputFile=${report}`];
  try {
    spawnSync(process.execPath, [...args, file], {
      cwd: root,
      stdio: "ignore",
      env: { ...process.env, TEST_LONG: "1", PLANTED: name, DRAWN_SEED: seed, DRAWN_COUNT: "200" },
    });
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    return tests.find(({ status }) => status === "failed")?.fullName ?? null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const chosen = defects.filter(({ name, tests }) => name.includes(only) && (tests !== undefined || !quick));
if (chosen.length === 0) {
  console.error(`no defect has ${only} in its name: there are ${defects.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
let unnoticed = 0;
for (const defect of chosen) {
  const found = firstFailure(defect);
  if (found === null) unnoticed += 1;
  console.log(`${defect.name}: ${found ?? "NOBODY NOTICES"}`);
}
const found = `${chosen.length - unnoticed} of ${chosen.length} found`;
if (!quick) recordRun(npmRun("test:planted"), `${unnoticed > 0 ? "failed" : "passed"}: ${found}`);
process.exitCode = unnoticed > 0 ? 1 : 0;
