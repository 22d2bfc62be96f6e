// The oracle chain over as many random schedules as asked for; case numbers and the seed make any run repeatable:
//
//     npm run test:oracle -- --count 1000
//     npm run test:oracle -- --seed 7 --from 417 --count 1
//
// With --library each operator of the library is drawn that often, for its targets and in its types in turn; --only names
// one of them:
//
//     npm run test:oracle -- --library --count 600
//     npm run test:oracle -- --library --only "conv2d: bias, gelu" --from 41 --count 1

import { parseArgs } from "node:util";
import { npmRun, recordRun } from "../support/record-run.js";
import { runVitest } from "../support/run-vitest.js";

const options = {
  seed: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  count: { type: "string", default: "1000" },
  library: { type: "boolean", default: false },
  only: { type: "string" },
};
const { seed, from, count, library, only } = parseArgs({ options }).values;
const test = library ? "test/property/library-chain.test.ts" : "test/property/oracle-chain.test.ts";
const { status, result } = runVitest([test], {
  TEST_LONG: "1",
  ORACLE_SEED: seed,
  ORACLE_FROM: from,
  [library ? "ORACLE_LIBRARY" : "ORACLE_COUNT"]: count,
  ...(only && { ORACLE_ONLY: only }),
});
recordRun(npmRun("test:oracle"), result);
process.exitCode = status;
