// A small part of npm run test:kill: builds that share a store and a lock, killed at random moments.

import { expect, it } from "vitest";
import { otherNode } from "../support/other-node.js";
import { killBuilds, type Round } from "./kill-builds.ts";

it("builds that are killed lose no entry of the lock, leave no process and nothing wrong, and measured one at a time", async () => {
  const rounds: Round[] = [];
  await killBuilds({ count: 3, seed: 11, from: 0, other: otherNode() }, (round) => rounds.push(round));
  expect(rounds.flatMap(({ lost, wrong, left, overlaps }) => [...lost, ...wrong, ...left, ...overlaps])).toEqual([]);
  expect(rounds.map(({ measurements }) => measurements > 0)).toEqual([true]);
});
