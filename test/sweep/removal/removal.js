// Takes out each pass, rule, algorithm, primitive and intrinsic in turn and runs the tests that should notice; says which
// did, and fails where none does. Nothing on disk is changed: the part is dropped while the tests load the sources. What
// is finished for these sources is kept in dist/test/removal.jsonl, so an interrupted run goes on where it stopped.
//
//     npm run test:removal
//     npm run test:removal -- --only cut-tails
//     npm run test:removal -- --fresh

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { npmRun, recordRun, resultOf } from "../../support/record-run.js";

const options = { only: { type: "string" }, fresh: { type: "boolean" } };
const chosen = Object.entries(parseArgs({ options }).values).map(([name, value]) => [
  `REMOVAL_${name.toUpperCase()}`,
  String(value),
]);
const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--config", "test/sweep/removal/vitest.config.ts", "--root", root],
  { cwd: root, stdio: "inherit", env: { ...process.env, ...Object.fromEntries(chosen) } },
);
recordRun(npmRun("test:removal"), resultOf(status));
process.exitCode = status ?? 1;
