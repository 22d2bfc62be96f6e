// Random schedules for AVX-512 in an emulator, on any machine that has Debian's bochs and gcc; case numbers and the seed
// make any run repeatable:
//
//     npm run test:avx512-emulated -- --count 700
//     npm run test:avx512-emulated -- --seed 7 --from 417 --count 1

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { npmRun, recordRun, resultOf } from "../support/record-run.js";

const options = {
  seed: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  count: { type: "string", default: "140" },
};
const { seed, from, count } = parseArgs({ options }).values;
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "--config", "test/emulated/vitest.config.ts"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, EMULATED_SEED: seed, EMULATED_FROM: from, EMULATED_COUNT: count },
});
recordRun(npmRun("test:avx512-emulated"), resultOf(status));
process.exitCode = status ?? 1;
