// The learning that a tuning starts from beside records: which model learns, and the limits measured on this machine.
// Part of `unplugin-kernel/api`.

import { malformed, needsToolchain, type Target, type TargetName } from "../compiler/index.ts";
import { withPrivateDirectory } from "../native/file/private-directory.ts";
import { nowMs } from "../native/machine/clock.ts";
import { detectMachine, hostTarget } from "../native/machine/machine.ts";
import { findXgboost } from "../native/machine/xgboost-library.ts";
import { toolchainFor, withoutCompiler } from "../native/toolchain/detect.ts";
import { type CostModelName, chooseCostModel, costModelNames } from "../tuner/cost-model/choose.ts";
import type { CostModel } from "../tuner/cost-model/cost-model.ts";
import { type OwnCostModel, ownCostModel } from "../tuner/cost-model/own-cost-model.ts";
import { targetClass } from "../tuner/data/key.ts";
import type { TuningTask } from "../tuner/data/task.ts";
import type { MachineModel } from "../tuner/prior/machine-model.ts";
import { calibrationFiles, calibrationSchema } from "../tuner/record/calibration-file.ts";
import { calibrateMachine } from "../tuner/tuning/calibration.ts";
import { referenceOf } from "../tuner/workbench/reference.ts";
import { createWorkbench, type Workbench } from "../tuner/workbench/workbench.ts";

export interface LearningOptions {
  /**
   * Model that learns from measurements, by name or one of your own (docs/extending.md). XGBoost needs its C library; without it,
   * the boosted trees of this package are used.
   */
  readonly costModel?: CostModelName | OwnCostModel;
  /** Path of XGBoost's C library; default: that of the package `xgboost_node`, or the system's. */
  readonly xgboost?: string;
  /** The directory of `calibrate`: what was found about this machine is used. */
  readonly calibration?: string;
  /** Told each warning, a line of text, such as that XGBoost was not found. */
  readonly onWarning?: (warning: string) => void;
}

export interface Learning {
  readonly costModel: CostModel;
  readonly machine: MachineModel | undefined;
}

export async function learningOf(
  { costModel = "boosted-trees", xgboost, calibration, onWarning }: LearningOptions,
  { target }: TuningTask,
  { toolchain }: Workbench,
): Promise<Learning> {
  if (typeof costModel !== "string")
    return { costModel: ownCostModel(costModel), machine: machineOf(calibration, target, toolchain) };
  if (!costModelNames.includes(costModel))
    throw malformed(
      `there is no costModel "${costModel}"`,
      `there are ${costModelNames.join(", ")}, or an object of yours`,
    );
  const library = costModel === "xgboost" ? findXgboost({ path: xgboost }) : null;
  const { model, warning } = await chooseCostModel(costModel, library);
  if (warning) onWarning?.(warning);
  return { costModel: model, machine: machineOf(calibration, target, toolchain) };
}

/** Reads what `calibrate` found about this machine. */
function machineOf(calibration: string | undefined, target: Target, toolchain: string): MachineModel | undefined {
  if (calibration === undefined) return undefined;
  return calibrationFiles.read(calibration, { targetClass: targetClass(target), toolchain })?.machine;
}

export interface CalibrateOptions {
  readonly target: TargetName | "native";
  /** Folder that the numbers are written to. Give the same one to `tune` as its `calibration`. */
  readonly directory: string;
  /** Seconds of measuring; default: 45. */
  readonly seconds?: number;
}

/** Fewest candidates that numbers are learnt from: fewer say less than what is known of machines in general. */
const leastSamples = 20;

/**
 * Measures what the analytic prior should know of this machine: once a machine and compiler, within a minute.
 *
 * @returns how many candidates it learnt from; of fewer than twenty nothing is kept
 * @throws DiagnosticError `target.no-compiler`
 * @example await calibrate({ target: "native", directory: ".unplugin-kernel" });
 */
export function calibrate({ target: name, directory: kept, seconds = 45 }: CalibrateOptions): Promise<number> {
  return withPrivateDirectory(async (directory) => {
    const target = { ...hostTarget(name), threads: 1 };
    const toolchain = await toolchainFor(target);
    if (needsToolchain(target) && !toolchain) throw withoutCompiler(target);
    const workbench = async (task: TuningTask): Promise<Workbench> =>
      createWorkbench({ ...referenceOf(task), toolchain, directory, cores: detectMachine().cores });
    const { machine, samples } = await calibrateMachine({ target, workbench, clock: nowMs, seconds });
    const machineClass = { targetClass: targetClass(target), toolchain: toolchain?.identity ?? "wasm" };
    if (samples >= leastSamples)
      calibrationFiles.write(kept, { schema: calibrationSchema, ...machineClass, samples, machine });
    return samples;
  });
}
