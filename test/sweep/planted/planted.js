// Plants each of the defects that the compiler once had and draws operators until one of them fails; says how many it took,
// and fails where 200 are not enough.
//
//     npm run test:planted
//     npm run test:planted -- --seed 7
//     npm run test:planted -- --only "rank 0"

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const options = { seed: { type: "string", default: "1" }, only: { type: "string", default: "" } };
const { seed, only } = parseArgs({ options }).values;
const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const defects = JSON.parse(readFileSync(new URL("defects.json", import.meta.url), "utf8"));
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

/** The first test that fails, which names the operators that it drew; null: none does. */
function firstFailure(name) {
  const folder = mkdtempSync(join(tmpdir(), "planted-"));
  const file = join(folder, "report.json");
  const config = ["--config", "test/sweep/planted/planted.config.ts", "--root", root];
  const args = [vitest, "run", ...config, "--reporter=json", `--outputFile=${file}`];
  try {
    spawnSync(process.execPath, [...args, "test/property/drawn-operators.test.ts"], {
      cwd: root,
      stdio: "ignore",
      env: { ...process.env, PLANTED: name, DRAWN_SEED: seed, DRAWN_COUNT: "200" },
    });
    const { testResults } = JSON.parse(readFileSync(file, "utf8"));
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    return tests.find(({ status }) => status === "failed")?.fullName ?? null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let unnoticed = 0;
for (const { name } of defects.filter((defect) => defect.name.includes(only))) {
  const found = firstFailure(name);
  if (found === null) unnoticed += 1;
  console.log(`${name}: ${found ?? "NOBODY NOTICES"}`);
}
process.exitCode = unnoticed > 0 ? 1 : 0;
