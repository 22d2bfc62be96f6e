// The oracle chain over as many random schedules as asked for; case numbers and the seed make any run repeatable:
//
//     npm run test:oracle -- --count 1000
//     npm run test:oracle -- --seed 7 --from 417 --count 1

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const options = {
  seed: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  count: { type: "string", default: "1000" },
};
const { seed, from, count } = parseArgs({ options }).values;
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "test/property/oracle-chain.test.ts"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, ORACLE_SEED: seed, ORACLE_FROM: from, ORACLE_COUNT: count },
});
process.exitCode = status ?? 1;
