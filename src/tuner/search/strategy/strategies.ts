// The table of strategies.

import { bayesian } from "./bayesian.ts";
import { cga } from "./cga.ts";
import { coordinateDescent } from "./coordinate-descent.ts";
import { defaultStrategy } from "./default.ts";
import { evolutionary } from "./evolutionary.ts";
import { exhaustive } from "./exhaustive.ts";
import { genetic } from "./genetic.ts";
import { random } from "./random.ts";
import { randomKeyCga } from "./random-key-cga.ts";
import { simulatedAnnealing } from "./simulated-annealing.ts";
import type { Strategy, StrategyName } from "./strategy.ts";
import { toTheLast } from "./unmeasured.ts";

export const strategies: { readonly [K in StrategyName]: Strategy } = {
  default: toTheLast(defaultStrategy),
  random: toTheLast(random),
  exhaustive,
  genetic: toTheLast(genetic),
  "simulated-annealing": toTheLast(simulatedAnnealing),
  evolutionary: toTheLast(evolutionary),
  cga: toTheLast(cga),
  "random-key-cga": toTheLast(randomKeyCga),
  bayesian: toTheLast(bayesian),
  "coordinate-descent": toTheLast(coordinateDescent),
};
