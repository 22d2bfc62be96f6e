// Random operators, as many as asked for, through the compiler, WASM and C; ends with what was run and what failed. Each
// piece of 500 leaves a line in drawn-operators.jsonl beside this file: when, on which commit, with what result. Pieces of
// a seed that are done for this commit are not run again, so an interrupted run goes on where it stopped.
//
//     npm run test:drawn -- --count 20000
//     npm run test:drawn -- --kind contraction --seed 3     one of the kinds of draw-operator.ts
//     npm run test:drawn -- --seed 7 --from 417 --count 1      one alone: every pass is looked at

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const options = {
  kind: { type: "string", default: "any" },
  seed: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  count: { type: "string", default: "1000" },
};
const chosen = Object.entries(parseArgs({ options }).values).map(([name, value]) => [
  `DRAWN_${name.toUpperCase()}`,
  value,
]);
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--config", "test/sweep/vitest.config.ts", "--root", root, "test/sweep/drawn-operators.run.ts"],
  { cwd: root, stdio: "inherit", env: { ...process.env, ...Object.fromEntries(chosen) } },
);
process.exitCode = status ?? 1;
