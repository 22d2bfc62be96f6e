// Random schedules for AVX-512 in an emulator, on any machine that has Debian's bochs and gcc; case numbers and the seed
// make any run repeatable:
//
//     npm run test:avx512-emulated -- --count 700
//     npm run test:avx512-emulated -- --seed 7 --from 417 --count 1

import { parseArgs } from "node:util";
import { npmRun, recordRun } from "../support/record-run.js";
import { runVitest } from "../support/run-vitest.js";

const options = {
  seed: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  count: { type: "string", default: "140" },
};
const { seed, from, count } = parseArgs({ options }).values;
const { status, result } = runVitest(["--config", "test/emulated/vitest.config.ts"], {
  EMULATED_SEED: seed,
  EMULATED_FROM: from,
  EMULATED_COUNT: count,
});
recordRun(npmRun("test:avx512-emulated"), result);
process.exitCode = status;
