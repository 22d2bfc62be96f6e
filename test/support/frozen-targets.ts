// The targets of fixtures/targets, as locks have them: what a machine is detected to be never changes what tests expect.

import { readFileSync } from "node:fs";
import { type CpuTarget, cpuTarget, type TargetName, targetNames } from "../../src/compiler/index.ts";
import { decodeTarget } from "../../src/tuner/data/target-json.ts";

const frozen = (name: TargetName): CpuTarget =>
  cpuTarget(
    decodeTarget(JSON.parse(readFileSync(new URL(`../../fixtures/targets/${name}.json`, import.meta.url), "utf8")), []),
  );

export const frozenTargets = Object.fromEntries(targetNames.map((name) => [name, frozen(name)])) as Readonly<
  Record<TargetName, CpuTarget>
>;
