// A thousand candidates through each scenario of a fleet: every one ends measured, or recorded with its reason. Then one worker against
// two, and the overhead of a candidate.
//
//     npm run test:fleet -- --candidates 1000 --ms 10

import { parseArgs } from "node:util";
import { mostTwice, runScenario, type Scenario, type ScenarioResult, scenarios } from "../support/fleet/scenarios.ts";
import { workerScript } from "../support/fleet/worker-processes.ts";
import { npmRun, recordRun } from "../support/record-run.js";

const { values } = parseArgs({
  options: { candidates: { type: "string", default: "1000" }, ms: { type: "string", default: "10" } },
});
const [candidates, ms] = [Number(values.candidates), Number(values.ms)];
const script = await workerScript("command");

/** Least speed of two workers over one, and most milliseconds of overhead for a candidate. */
const bars = { speed: 1.8, overheadMs: 5 };

const problems: string[] = [];

function check(scenario: Scenario, { measured, reasons, twice, needless, deaths, wallMs }: ScenarioResult): void {
  const { name, killsOneIn } = scenario;
  const killers = killsOneIn ? Math.floor(candidates / killsOneIn) : 0;
  const said = Object.entries(reasons).map(([reason, count]) => `${count} × ${reason}`);
  console.log(
    `${name}: ${measured} of ${candidates} measured in ${(wallMs / 1000).toFixed(1)} s, ${deaths} deaths, ${twice} measured twice${said.map((line) => `; ${line}`).join("")}`,
  );
  const recorded = reasons["it kills its worker"] ?? 0;
  if (measured + recorded !== candidates || recorded !== killers) problems.push(`${name}: ${measured} + ${recorded}`);
  if (twice > mostTwice(scenario, deaths)) problems.push(`${name}: ${twice} measured twice`);
  if (needless > 0) problems.push(`${name}: ${needless} measured again whose results were read`);
}

for (const scenario of scenarios) {
  const result = await runScenario(scenario, { script, candidates, ms });
  check(scenario, result);
}

const [one, two] = [1, 2].map((workers): Scenario => ({ name: `${workers} at work`, keeps: false, workers })) as [
  Scenario,
  Scenario,
];
const alone = await runScenario(one, { script, candidates, ms });
check(one, alone);
const pair = await runScenario(two, { script, candidates, ms });
check(two, pair);
const speed = alone.wallMs / pair.wallMs;
const overheadMs = (alone.wallMs - alone.simulatedMs) / candidates;
console.log(`two workers are ${speed.toFixed(2)} × one; ${overheadMs.toFixed(2)} ms of overhead for a candidate`);
if (speed < bars.speed) problems.push(`two workers are ${speed.toFixed(2)} × one`);
if (overheadMs > bars.overheadMs) problems.push(`${overheadMs.toFixed(2)} ms of overhead`);

const figures = `${scenarios.length + 2} scenarios of ${candidates} candidates, two workers ${speed.toFixed(2)} × one, ${overheadMs.toFixed(2)} ms of overhead for a candidate`;
recordRun(npmRun("test:fleet"), problems.length === 0 ? `passed: ${figures}` : `failed: ${problems.join("; ")}`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
