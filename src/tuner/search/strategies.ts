// The table of strategies.

import { cga } from "./cga.ts";
import { coordinateDescent } from "./coordinate-descent.ts";
import { defaultStrategy } from "./default.ts";
import { evolutionary } from "./evolutionary.ts";
import { random } from "./random.ts";
import type { Strategy, StrategyName } from "./strategy.ts";

export const strategies: { readonly [K in StrategyName]: Strategy } = {
  default: defaultStrategy,
  random,
  evolutionary,
  cga,
  "coordinate-descent": coordinateDescent,
};
