// `npm run test:kill` does the same a hundred times.

import { expect, it } from "vitest";
import { type Killed, killTunings } from "../../kill/kill-tunings.ts";

it("a tuning that is killed loses no measurement that it has announced", async () => {
  const all: Killed[] = [];
  await killTunings(4, 3, (killed) => all.push(killed));
  expect(all.map(({ lost, damaged }) => [lost, damaged])).toEqual(Array(4).fill([0, 0]));
  expect(all.at(-1)!.records).toBeGreaterThanOrEqual(all.reduce((sum, { announced }) => sum + announced, 0));
});
