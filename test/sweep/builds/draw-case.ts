// Seed and number → a case, and from a case that fails to the simplest one that fails as well.

import { createRng, type Rng } from "../../../src/tuner/support/rng.ts";
import { type BuildCase, type Dimension, dimensionNames, dimensions, plainCase } from "./dimensions.ts";

/** Share of the cases in which a dimension is plain; default: half. */
const plainShare: Partial<Record<Dimension, number>> = {
  operator: 0.4,
  target: 0.7,
  host: 0.4,
  mode: 0.6,
  lock: 0.3,
  // Packs and servers are asked where nothing else has an answer.
  store: 0.45,
  pack: 0.8,
  remote: 0.4,
  offline: 0.7,
  trust: 0.7,
  signing: 0.7,
  secret: 0.7,
  builds: 0.85,
};

/** Servers and compilers that take a whole deadline, of 10 s and more: few cases have one. */
const slow: readonly string[] = ["drips", "hangs", "never answers", "never ends"];
const slowShare = 0.15;

function drawValue(name: Dimension, rng: Rng): string {
  const [plain, ...others] = dimensions[name] as readonly [string, ...string[]];
  if (rng.unit() < (plainShare[name] ?? 0.5)) return plain;
  const value = rng.pick(others);
  return slow.includes(value) && rng.unit() > slowShare ? rng.pick(others.filter((it) => !slow.includes(it))) : value;
}

export function drawCase(seed: number, number: number): BuildCase {
  const rng = createRng(seed * 1_000_003 + number);
  return Object.fromEntries(dimensionNames.map((name) => [name, drawValue(name, rng)])) as unknown as BuildCase;
}

/** Sets one dimension after another to its plain value, and keeps it so where the case still fails. */
export async function simplify(drawn: BuildCase, fails: (drawn: BuildCase) => Promise<boolean>): Promise<BuildCase> {
  let simplest = drawn;
  for (const name of dimensionNames) {
    if (simplest[name] === plainCase[name]) continue;
    const simpler: BuildCase = { ...simplest, [name]: plainCase[name] };
    if (await fails(simpler)) simplest = simpler;
  }
  return simplest;
}
