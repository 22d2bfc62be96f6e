// Draws builds, each from a seed and its number alone: a small project in some state, right or damaged or hostile, and a build in it. What
// has to hold of every build is checked. Neither hosts nor servers are asked but those of this machine.
//
//     npm run test:drawn-builds                                  300 cases
//     npm run test:drawn-builds -- --count 50 --seed 7           leaves no line in test/runs.jsonl, like any run of fewer than 100
//     npm run test:drawn-builds -- --from 123 --count 1          one case again, with the simplest case that fails as it does
//     npm run test:drawn-builds -- --as-drawn                    does not look for simpler cases, which takes ten builds each

import { parseArgs } from "node:util";
import { npmRun, recordRun } from "../../support/record-run.js";
import { inWords } from "./dimensions.ts";
import { drawCase } from "./draw-case.ts";
import { playCase, simplestOf } from "./play-case.ts";
import { secrets } from "./project.ts";
import { createWarmProjects } from "./warm.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "300" },
    from: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    "as-drawn": { type: "boolean", default: false },
  },
});
const [count, from, seed] = [values.count, values.from, values.seed].map(Number) as [number, number, number];
if (!(count > 0 && from >= 0 && seed >= 0)) {
  console.error("--count, --from and --seed take numbers");
  process.exit(2);
}

/** Runs with fewer cases are checks of a change, and no records. */
const leastRecorded = 100;

process.env.UNPLUGIN_KERNEL_STORE_KEY = secrets.storeKey;
const warm = createWarmProjects();
const failed: number[] = [];
let built = 0;
try {
  for (let number = from; number < from + count; number++) {
    const drawn = drawCase(seed, number);
    const { problems, succeeded } = await playCase(drawn, warm, number);
    if (succeeded) built += 1;
    if (problems.length === 0) continue;
    failed.push(number);
    console.log(`case ${number} of seed ${seed}: ${inWords(drawn)}`);
    for (const { invariant, found } of problems) console.log(`  ${invariant}: ${found.replaceAll("\n", "\n    ")}`);
    if (values["as-drawn"]) continue;
    console.log(`  the simplest that fails so: ${inWords(await simplestOf(drawn, problems, warm, number))}`);
  }
} finally {
  warm.remove();
}
const result = `${count} cases of seed ${seed} from ${from}, ${built} built`;
const outcome = failed.length === 0 ? `passed: ${result}` : `failed: ${result}, wrong: ${failed.join(", ")}`;
console.log(outcome);
if (failed.length > 0) process.exitCode = 1;
if (count >= leastRecorded) recordRun(npmRun("test:drawn-builds"), outcome);
