// Random operators, for every rule and target: the compiler takes each of them, every schedule that its space
// offers is legal, and the kernels give the reference's numbers. A run draws its own seed, which is in the test's name;
// `npm run test:drawn` draws as many as asked for.

import { expect, test } from "vitest";
import { newDrawnReport, printDrawnReport, runDrawn } from "../support/drawn/run-drawn.ts";

const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const seed = setting("DRAWN_SEED", Math.floor(Math.random() * 1_000_000));
const count = setting("DRAWN_COUNT", 1000);

/** Operators whose kernels share the addons of a test. */
const batch = 50;
const starts = Array.from({ length: Math.ceil(count / batch) }, (_, at) => at * batch);

test.each(starts)(`operators of seed ${seed} from %i`, { timeout: 3_600_000 }, async (from) => {
  const report = newDrawnReport();
  await runDrawn(report, { seed, from, count: Math.min(batch, count - from) });
  expect(report.failures, `npm run test:drawn -- --seed ${seed} --from … --count 1`).toEqual([]);
  expect(report.operators, printDrawnReport(report)).toBe(Math.min(batch, count - from));
});
