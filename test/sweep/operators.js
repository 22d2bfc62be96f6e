// Fills the table in docs/operators.md: every operator of the library × target × type is tuned on three shapes with a small
// budget, and its result held against plain loops. Finished cells are kept in operators.jsonl beside this file, so an
// interrupted run goes on where it stopped; a cell is run again when its operator or the code generator has changed, and all that are
// named with --fresh. With --report the page is made of the cells that are there, and nothing is run.
//
//     npm run test:operators
//     npm run test:operators -- --minutes 30 --trials 24
//     npm run test:operators -- --report
//     npm run test:operators -- --only conv1d --target wasm --type f32 --fresh

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const options = {
  only: { type: "string" },
  target: { type: "string" },
  type: { type: "string" },
  trials: { type: "string" },
  minutes: { type: "string" },
  fresh: { type: "boolean" },
  report: { type: "boolean" },
};
const chosen = Object.entries(parseArgs({ options }).values).map(([name, value]) => [
  `OPERATORS_${name.toUpperCase()}`,
  String(value),
]);
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--config", "test/sweep/vitest.config.ts", "--root", root, "test/sweep/operators.run.ts"],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...Object.fromEntries(chosen) },
  },
);
process.exitCode = status ?? 1;
