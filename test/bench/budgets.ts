// Checks that tunings keep a budget of 3 s, from the call of `tune` to its answer, on operators that no library has.
// Exits 1 if one took longer than 4 s or could not be tuned. A run adds a line to budgets.jsonl: date, commit, result.
//
//     npm run bench:budgets
//     npm run bench:budgets -- --only inverse

import { join } from "node:path";
import { parseArgs } from "node:util";
import { tune } from "../../src/api/index.ts";
import type { TargetName } from "../../src/compiler/index.ts";
import { nowMs } from "../../src/native/machine/clock.ts";
import { codeCommit } from "../support/code-commit.js";
import { cpuName } from "./cpu-name.ts";
import { appendLine } from "./json-lines.ts";
import { reviewed } from "./reviewed-operators.ts";

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });

const seconds = 3;
const mostSeconds = 4;
const targetNames: readonly TargetName[] = ["wasm", "avx2", "avx512"];

interface Tuned {
  readonly name: string;
  readonly target: TargetName;
  readonly seconds: number;
  readonly measured: number;
  readonly failure: string | null;
}

async function tuned(name: string, target: TargetName): Promise<Tuned> {
  const start = nowMs();
  const outcome = await tune(reviewed[name]!, { target, budget: { seconds } }).catch((error: Error) => error);
  const isError = outcome instanceof Error;
  return {
    name,
    target,
    seconds: (nowMs() - start) / 1000,
    measured: isError ? 0 : outcome.measured,
    failure: isError ? outcome.message : null,
  };
}

const all: Tuned[] = [];
for (const name of Object.keys(reviewed).filter((it) => it.includes(values.only))) {
  for (const target of targetNames) {
    const one = await tuned(name, target);
    all.push(one);
    const outcome = one.failure ?? `${one.measured} measured`;
    console.log(`${name.padEnd(28)} ${target.padEnd(7)} ${one.seconds.toFixed(1)} s, ${outcome}`);
  }
}
const bad = all.filter((it) => it.failure !== null || it.seconds > mostSeconds);
const longest = Math.max(...all.map((it) => it.seconds));
console.log(
  `${all.length} tunings with ${seconds} s each: the longest took ${longest.toFixed(1)} s; ${bad.length} bad`,
);
appendLine(join("test/bench", "budgets.jsonl"), {
  when: new Date().toISOString(),
  commit: codeCommit("src"),
  cpu: cpuName(),
  node: process.version,
  only: values.only,
  tunings: all.length,
  longest,
  bad,
});
process.exit(bad.length > 0 ? 1 : 0);
