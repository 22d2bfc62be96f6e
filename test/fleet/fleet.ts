// A thousand candidates through each scenario of a fleet: every one ends measured, or recorded with its reason. Then one worker against
// two, and the overhead of a candidate.
//
//     npm run test:fleet -- --candidates 1000 --ms 10

import { parseArgs } from "node:util";
import { runScenario, type ScenarioResult, scenarios } from "../support/fleet/scenarios.ts";
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

function check(name: string, { measured, reasons, twice, deaths, wallMs }: ScenarioResult, killers: number): void {
  const said = Object.entries(reasons).map(([reason, count]) => `${count} × ${reason}`);
  console.log(
    `${name}: ${measured} of ${candidates} measured in ${(wallMs / 1000).toFixed(1)} s, ${deaths} deaths, ${twice} measured twice${said.map((line) => `; ${line}`).join("")}`,
  );
  const recorded = reasons["it kills its worker"] ?? 0;
  if (measured + recorded !== candidates || recorded !== killers) problems.push(`${name}: ${measured} + ${recorded}`);
  // Where Redis was gone, two workers may have had one job for a while: results are created once, measuring is at least once.
  if (twice > deaths + 3 && !name.startsWith("Redis")) problems.push(`${name}: ${twice} measured twice`);
}

for (const scenario of scenarios) {
  const result = await runScenario(scenario, { script, candidates, ms });
  check(scenario.name, result, scenario.killsOneIn ? Math.floor(candidates / scenario.killsOneIn) : 0);
}

const alone = await runScenario({ name: "one worker", keeps: false, workers: 1 }, { script, candidates, ms });
check("one worker", alone, 0);
const pair = await runScenario({ name: "two workers", keeps: false, workers: 2 }, { script, candidates, ms });
check("two workers", pair, 0);
const speed = alone.wallMs / pair.wallMs;
const overheadMs = (alone.wallMs - alone.simulatedMs) / candidates;
console.log(`two workers are ${speed.toFixed(2)} × one; ${overheadMs.toFixed(2)} ms of overhead for a candidate`);
if (speed < bars.speed) problems.push(`two workers are ${speed.toFixed(2)} × one`);
if (overheadMs > bars.overheadMs) problems.push(`${overheadMs.toFixed(2)} ms of overhead`);

const figures = `${scenarios.length + 2} scenarios of ${candidates} candidates, two workers ${speed.toFixed(2)} × one, ${overheadMs.toFixed(2)} ms of overhead for a candidate`;
recordRun(npmRun("test:fleet"), problems.length === 0 ? `passed: ${figures}` : `failed: ${problems.join("; ")}`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
