// The targets for NVIDIA's GPUs, as locks have them: fixtures/targets holds what they said when locks were written.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cudaTargets, targetNamed } from "../../../src/compiler/index.ts";
import { requestTargets } from "../../../src/plugin/request/request.ts";
import { decodeTarget, encodeTarget } from "../../../src/tuner/data/target-json.ts";

test.each(cudaTargets)("$name is what fixtures/targets says, in locks too, and imports know it", (target) => {
  const file = new URL(`../../../fixtures/targets/${target.name}.json`, import.meta.url);
  const frozen = JSON.parse(readFileSync(file, "utf8"));
  expect(decodeTarget(frozen, [])).toEqual(target);
  expect(encodeTarget(target)).toEqual(frozen);
  expect(targetNamed(target.name)).toBe(target);
  expect(requestTargets).toContain(target.name);
});
