// Damaged inputs through every parser of outside data: none may crash, hang, grow without bound, or accept what it prints otherwise.
//
//     npm run test:fuzz                                 a million inputs for each parser
//     npm run test:fuzz -- --inputs 1000                for CI: half a minute; leaves no line in test/runs.jsonl, like any run of fewer than 100,000
//     npm run test:fuzz -- --parser lock,records        some of the parsers
//     npm run test:fuzz -- --seed 7 --from 123 --inputs 1     one input again
//
// A parser leaves its line when it is through, so a run that was stopped goes on with those that have none: --parser.

import { parseArgs } from "node:util";
import { npmRun, recordRun } from "../../support/record-run.js";
import { type Fuzzed, fuzzParser } from "./fuzz-parser.ts";
import { parsers } from "./parsers/index.ts";
import { watchInputs } from "./watch.ts";

const { values } = parseArgs({
  options: {
    parser: { type: "string" },
    inputs: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
  },
});
const [inputs, seed, from] = [values.inputs, values.seed, values.from].map(Number) as [number, number, number];
const names = values.parser?.split(",") ?? parsers.map(({ name }) => name);
const unknown = names.find((name) => !parsers.some((parser) => parser.name === name));
if (unknown !== undefined || !(inputs > 0 && seed >= 0 && from >= 0)) {
  console.error(
    `--parser takes ${parsers.map(({ name }) => name).join(", ")}; the others take numbers (${unknown ?? ""})`,
  );
  process.exit(2);
}

/** Runs with fewer inputs are checks of a change, and no records. */
const leastRecorded = 100_000;

const textOf = ({ inputs, accepted, slowest, residentBytes }: Fuzzed): string =>
  `${inputs} inputs, ${accepted} accepted, slowest ${slowest.ms.toFixed(1)} ms (input ${slowest.at}, ${slowest.length} characters), at most ${(residentBytes / 1e6).toFixed(0)} MB`;

for (const parser of parsers.filter(({ name }) => names.includes(name))) {
  const before = process.cpuUsage();
  const watch = watchInputs(parser.name);
  const wanted = { seed, from, inputs: Math.ceil(inputs * (parser.share ?? 1)) };
  const fuzzed = await fuzzParser(parser, { ...wanted, onInput: watch.next });
  watch.close();
  const { user, system } = process.cpuUsage(before);
  const { problems } = fuzzed;
  console.log(`${parser.name}: ${textOf(fuzzed)}, ${((user + system) / 1e6).toFixed(1)} s of the processor`);
  for (const { at, what, input } of problems)
    console.log(`  input ${at}: ${what.slice(0, 600)}\n    ${JSON.stringify(input).slice(0, 400)}`);
  if (problems.length > 0) process.exitCode = 1;
  const command = npmRun("test:fuzz", [
    "--parser",
    parser.name,
    "--inputs",
    `${inputs}`,
    "--seed",
    `${seed}`,
    "--from",
    `${from}`,
  ]);
  if (inputs >= leastRecorded)
    recordRun(
      command,
      `${problems.length === 0 ? "passed" : `failed: ${problems.length} problems`}: ${textOf(fuzzed)}`,
    );
}
