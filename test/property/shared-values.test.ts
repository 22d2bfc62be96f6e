// Random operators whose values are used many times: every stage of the compiler computes what the reference does, and
// none makes copies of what is shared. A run draws its own seed, which is in the test's name.

import { expect, test } from "vitest";
import { createRng } from "../../src/tuner/support/rng.ts";
import { fewer } from "../support/long.ts";
import { newReport, printReport, runCases } from "../support/oracle-chain.ts";
import { randomGraph } from "../support/random-graph.ts";
import { caseOf } from "../support/random-schedule.ts";

const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const seed = setting("GRAPH_SEED", Math.floor(Math.random() * 1_000_000));
const from = setting("GRAPH_FROM", 0);
const count = setting("GRAPH_COUNT", fewer(24));

/** Kernels that one addon holds. */
const batch = 24;

test(`graphs of seed ${seed}: each stage computes what the reference does`, { timeout: 3_600_000 }, async () => {
  const report = newReport();
  for (let at = from; at < from + count; at += batch) {
    const numbers = Array.from({ length: Math.min(batch, from + count - at) }, (_, each) => at + each);
    const cases = numbers.map((number) => {
      const rng = createRng(seed * 1_000_003 + number);
      return caseOf({ number, family: "graph", op: randomGraph(rng), callsFunctions: false }, rng);
    });
    await runCases(report, cases);
    if (count > batch) console.log(printReport(report));
    expect(report.failures).toEqual([]);
  }
  expect(report.rejected).toEqual([]);
});
