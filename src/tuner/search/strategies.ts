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

export const strategies: { readonly [K in StrategyName]: Strategy } = {
  default: defaultStrategy,
  random,
  exhaustive,
  genetic,
  "simulated-annealing": simulatedAnnealing,
  evolutionary,
  cga,
  "random-key-cga": randomKeyCga,
  bayesian,
  "coordinate-descent": coordinateDescent,
};
