// A CPU's target → the model of its machine before anything was measured on it.

import { architectureOf, type CpuTarget } from "../../compiler/index.ts";
import { armModelOf } from "./arm-cores.ts";
import { type MachineModel, machineModels } from "./machine-model.ts";

/** One object for each machine: it is asked for with every prediction. */
export const cpuModelOf = (target: CpuTarget): Required<MachineModel> =>
  architectureOf(target.features) === "arm64" ? armModelOf(target, machineModels.c) : machineModels[target.backend];
