// The works of all suites.

import type { SuiteName, Work } from "../work.ts";
import { byteWorks } from "./bytes.ts";
import { filterWorks } from "./filters.ts";
import { gemmWorks } from "./gemm.ts";
import { layerWorks } from "./layers.ts";
import { layoutWorks } from "./layouts.ts";
import { pixelWorks } from "./pixels.ts";
import { rowWorks } from "./rows.ts";
import { shortWorks } from "./short-sums.ts";

export const allWorks: Readonly<Partial<Record<SuiteName, readonly Work[]>>> = {
  ...gemmWorks,
  ...layerWorks,
  ...byteWorks,
  ...layoutWorks,
  ...filterWorks,
  ...pixelWorks,
  ...rowWorks,
  ...shortWorks,
};
