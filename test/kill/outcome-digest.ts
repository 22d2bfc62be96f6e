// Name of a measurement, the same in the process that is killed and in the one that checks.

import { sha256 } from "../../src/compiler/index.ts";
import { canonicalJson } from "../../src/tuner/data/key.ts";
import type { Measurement } from "../../src/tuner/data/measurement.ts";
import type { Candidate } from "../../src/tuner/data/space.ts";

export const taskKey: string = sha256("a tuning that is killed");

export const outcomeDigest = ({
  candidate,
  measurement,
}: {
  readonly candidate: Candidate;
  readonly measurement: Measurement;
}): string => sha256(canonicalJson({ candidate, measurement }));
