// Kills tunings at random moments and counts the finished measurements that are lost: none may be.
//
//     npm run test:kill -- --count 100 --seed 7

import { parseArgs } from "node:util";
import { npmRun, recordRun } from "../support/record-run.js";
import { type Killed, killTunings } from "./kill-tunings.ts";

const { values } = parseArgs({
  options: { count: { type: "string", default: "100" }, seed: { type: "string", default: "1" } },
});
const all: Killed[] = [];
await killTunings(Number(values.count), Number(values.seed), (killed) => {
  all.push(killed);
  const { since, afterMs, announced, records, hasTornLine, lost, damaged } = killed;
  if (lost > 0 || damaged > 0 || hasTornLine || all.length % 10 === 0)
    console.log(
      `${all.length}: killed ${afterMs.toFixed(0)} ms after its ${since === "start" ? "start" : "first measurement"}, ${announced} announced, ${records} in the file, ${lost} lost, ${damaged} damaged${hasTornLine ? ", last line torn" : ""}`,
    );
});
const sum = (of: (killed: Killed) => number): number => all.reduce((total, killed) => total + of(killed), 0);
const [lost, damaged] = [sum((it) => it.lost), sum((it) => it.damaged)];
const idle = all.filter(({ announced }) => announced === 0).length;
console.log(
  `killed ${all.length} tunings, ${idle} of them before their first measurement: ${sum((it) => it.announced)} measurements announced, ${lost} lost, ${damaged} lines damaged, ${sum((it) => (it.hasTornLine ? 1 : 0))} last lines torn`,
);
const isRight = lost === 0 && damaged === 0;
recordRun(
  npmRun("test:kill"),
  `${isRight ? "passed" : "failed"}: ${all.length} killed, ${lost} measurements lost, ${damaged} lines damaged`,
);
process.exitCode = isRight ? 0 : 1;
