// The back end: one value with a part for each room of unplugin-kernel, given to `useBackend` once a process.

import type { AcceleratorTarget } from "../../src/compiler/index.ts";
import type { Backend } from "../../src/tuner/backend/backend.ts";
import { direct } from "../../src/tuner/space/algorithm/direct.ts";
import { type VtaSource, vtaGenerator } from "./code-generator.ts";
import { type VtaModules, vtaExecutor } from "./executor.ts";
import { intrinsics } from "./intrinsic.ts";
import { vta } from "./machine.ts";
import { vtaModel } from "./model.ts";
import { onMatrixUnit } from "./rule/on-matrix-unit.ts";
import { vtaTarget } from "./target.ts";

export const vtaBackend = (modules: VtaModules): Backend<AcceleratorTarget, VtaSource> => ({
  name: "vta",
  targets: [vtaTarget],
  generator: vtaGenerator,
  intrinsics,
  // A convolution is a product for the matrix unit as it is written.
  space: { rules: [onMatrixUnit(vta)], algorithms: [direct] },
  model: vtaModel,
  executor: vtaExecutor(modules),
});
