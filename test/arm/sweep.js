// Random schedules for ARM in an emulator, on any machine that has the cross compiler, qemu and Node for ARM; case numbers and the seed make
// any run repeatable. 200 for each operator, on each target:
//
//     npm run test:arm -- --per-operator 200
//     npm run test:arm -- --seed 7 --from 417 --count 1 --target neon-dot

import { parseArgs } from "node:util";
import { npmRun, recordRun } from "../support/record-run.js";
import { runVitest } from "../support/run-vitest.js";

const options = {
  seed: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  count: { type: "string" },
  "per-operator": { type: "string", default: "2" },
  target: { type: "string", default: "neon,neon-dot,neon-i8mm" },
};
const { seed, from, count, target, "per-operator": perOperator } = parseArgs({ options }).values;
const { status, result } = runVitest(["test/arm/chain.test.ts", "-t", "random schedules"], {
  TEST_LONG: "1",
  ARM_SEED: seed,
  ARM_FROM: from,
  ...(count !== undefined && { ARM_COUNT: count }),
  ARM_PER_OPERATOR: perOperator,
  ARM_TARGETS: target,
});
recordRun(npmRun("test:arm"), result);
process.exitCode = status;
