// A CPU's target → the model of its machine before anything was measured on it.

import { architectureOf, type CpuTarget, familyOfEngine } from "../../compiler/index.ts";
import { armModelOf, wasmOnArm } from "./arm-cores.ts";
import { type MachineModel, machineModels } from "./machine-model.ts";

const wasmArm: Required<MachineModel> = { ...machineModels.wasm, ...wasmOnArm };

/** One object for each machine: it is asked for with every prediction. */
export function cpuModelOf(target: CpuTarget): Required<MachineModel> {
  if (familyOfEngine(target) === "arm64") return wasmArm;
  return architectureOf(target.features) === "arm64"
    ? armModelOf(target, machineModels.c)
    : machineModels[target.backend];
}
