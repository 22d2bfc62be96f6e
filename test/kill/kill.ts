// Kills tunings, and builds that share a store and a lock, at random moments. No finished measurement may be lost and no entry
// of the lock, no kernel may be wrong, no process left, and no two measurements may overlap.
//
//     npm run test:kill
//     npm run test:kill -- --count 100 --builds 0 --seed 7
//     npm run test:kill -- --count 0 --builds 60 --from 20      one part of a long run: from round 20 on

import { parseArgs } from "node:util";
import { otherNode } from "../support/other-node.js";
import { npmRun, recordRun } from "../support/record-run.js";
import { killBuilds, type Round } from "./kill-builds.ts";
import { type Killed, killTunings } from "./kill-tunings.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100" },
    builds: { type: "string", default: "200" },
    from: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
  },
});
const [count, builds, from, seed] = [values.count, values.builds, values.from, values.seed].map(Number) as [
  number,
  number,
  number,
  number,
];

interface Outcome {
  readonly isRight: boolean;
  readonly said: string;
}

async function ofTunings(): Promise<Outcome> {
  const all: Killed[] = [];
  await killTunings(count, seed, (killed) => {
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
  const said = `${all.length} tunings killed, ${lost} measurements lost, ${damaged} lines damaged`;
  return { isRight: lost === 0 && damaged === 0, said };
}

async function ofBuilds(): Promise<Outcome> {
  const other = otherNode();
  if (other === null) console.log("all builds run on this version of Node: npm run test:node-versions brings others");
  const all: Round[] = [];
  await killBuilds({ count: builds, seed, from, other }, (round) => {
    all.push(round);
    const { lost, wrong, left, overlaps } = round;
    console.log(`round ${round.round}: ${round.killed} killed, ${round.measurements} measurements`);
    for (const line of [...lost, ...wrong, ...left, ...overlaps]) console.log(`  ${line}`);
  });
  const sum = (of: (round: Round) => number): number => all.reduce((total, round) => total + of(round), 0);
  const [lost, wrong, left, overlapping] = [
    sum((it) => it.lost.length),
    sum((it) => it.wrong.length),
    sum((it) => it.left.length),
    sum((it) => it.overlaps.length),
  ];
  const versions = other === null ? "" : " on two versions of Node";
  const rounds = `${all.length} rounds of 4 builds${versions}, from round ${from}`;
  const said = `${sum((it) => it.killed)} builds killed in ${rounds}: ${lost} lock entries lost, ${wrong} kernels wrong, ${left} processes left, ${overlapping} of ${sum((it) => it.measurements)} measurements overlap`;
  console.log(said);
  return { isRight: lost + wrong + left + overlapping === 0, said };
}

const outcomes = [...(count > 0 ? [await ofTunings()] : []), ...(builds > 0 ? [await ofBuilds()] : [])];
const isRight = outcomes.every((it) => it.isRight);
recordRun(npmRun("test:kill"), `${isRight ? "passed" : "failed"}: ${outcomes.map(({ said }) => said).join("; ")}`);
process.exitCode = isRight ? 0 : 1;
