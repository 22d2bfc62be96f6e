// The parts that a back end of one's own is put together from, for `unplugin-kernel/api`: its types, passes to pick from, and numbers to
// begin with.

export {
  type AcceleratorTarget,
  type CodeGenerator,
  cannotRun,
  type GenerateOptions,
  type KernelParameter,
  type KernelSource,
  type LoopFunc,
  parametersOf,
  scalarPasses,
  type Target,
  vectorPasses,
} from "../../compiler/index.ts";
export type { Executor, ExecutorOptions } from "../../native/backend/executor.ts";
export type { DeviceKernel, RunnableLoader } from "../../native/runner/loader.ts";
export type { Runnable } from "../../native/runner/protocol.ts";
export { type AnalyticModel, machineModelOf } from "../prior/ranker.ts";
export { direct } from "../space/algorithm/direct.ts";
export type { SpaceRules } from "../space/space-rules.ts";
export { type Backend, useBackend } from "./backend.ts";
