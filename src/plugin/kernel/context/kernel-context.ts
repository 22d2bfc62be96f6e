// One kernel on its way through the plugin: what was asked for, resolved. Request → KernelContext, by loading the
// operator and looking at the machine; nothing is decided here.

import { basename } from "node:path";
import {
  type ComputeDef,
  codeGeneratorOf,
  digestOf,
  instantiate,
  needsToolchain,
  once,
  type Parameters,
  parameterDefaults,
  type Target,
} from "../../../compiler/index.ts";
import { ownCompiler } from "../../../native/backend/own-compiler.ts";
import { nowMs } from "../../../native/machine/clock.ts";
import {
  detectMachine,
  hostTarget,
  type Machine,
  whyNotHere,
  whyNotMeasuredHere,
} from "../../../native/machine/machine.ts";
import type { MeasuringPlace } from "../../../native/runner/host.ts";
import { toolchainFor } from "../../../native/toolchain/detect.ts";
import { platformFor } from "../../../native/toolchain/platform.ts";
import type { Toolchain } from "../../../native/toolchain/toolchain.ts";
import { canonicalJson, classKey, scheduleKey } from "../../../tuner/data/key.ts";
import type { TuningTask } from "../../../tuner/data/task.ts";
import { openStore, type Store } from "../../../tuner/store/store.ts";
import type { Workbench, WorkbenchOptions } from "../../../tuner/workbench/workbench.ts";
import type { Fleet, FleetClass } from "../../fleet/open-fleet.ts";
import { loadOp } from "../../operator/load-op.ts";
import { checkParameters } from "../../request/request.ts";
import { warnOnce } from "../../support/say-once.ts";
import { slashPath } from "../../support/shown-path.ts";
import type { CompileServices, VisitingBrowser } from "../compile-services.ts";
import type { KernelRequest } from "../kernel-request.ts";
import { keyFields } from "../schedule.ts";
import { laterStore } from "./later-store.ts";
import { warnOfPlace } from "./store-warnings.ts";

export interface KernelContext {
  readonly request: KernelRequest;
  readonly services: CompileServices;
  readonly op: ComputeDef;
  readonly opDigest: string;
  readonly parameters: Parameters;
  readonly watchFiles: readonly string[];
  readonly machine: Machine;
  /** System that its addon is for: "linux-x64". */
  readonly platform: string;
  /** Why kernels of the target do not run on this machine, which can build but not measure them; null: they do. */
  readonly whyNotHere: string | null;
  /** Why no kernel of the target computes the operator: the WASM twin does then; null: one may. */
  readonly whyNotComputed: string | null;
  readonly task: TuningTask;
  /** The schedule key. */
  readonly key: string;
  /** The class key: machines with other cache sizes have the same. */
  readonly classKey: string;
  /** Name of the kernel in the lock file and in messages: src/gemm.op.ts?M=64&tune=avx2. */
  readonly lockName: string;
  readonly store: Store;
  /** Whether what is built is run against the reference before it is kept: false where the caller does that. */
  readonly runsFresh: boolean;
  /** Writes what an interim answer has kept back. */
  readonly flush: () => Promise<void>;
  /** The compiler for the target, if it is native, looked for when first asked for; null where there is none. */
  readonly toolchain: () => Promise<Toolchain | null>;
  /** Workers that measure this kernel; null: this machine does. */
  readonly elsewhere: Elsewhere | null;
  /** Browser that measures this kernel; null: none does. */
  readonly browser: VisitingBrowser | null;
  /** Makes the place where candidates are measured. Tests plant bad ones here. */
  readonly workbench: (options: WorkbenchOptions) => Workbench | Promise<Workbench>;
}

/** Workers of a fleet, as one kernel sees them. */
export interface Elsewhere {
  readonly fleet: Fleet;
  readonly of: FleetClass;
  /** Whether the kernel is for other machines, so that it can neither be measured nor used here. */
  readonly isForeign: boolean;
  /** Milliseconds, without those that jobs of this kernel waited for a worker. */
  readonly clock: () => number;
  readonly onWait: (ms: number) => void;
}

/** Returns a target with the caches of a machine in place of those that it has. */
export const targetHere = ({ name, threads }: Pick<Target, "name" | "threads">, machine: Machine): Target => ({
  ...hostTarget(name, machine),
  threads,
});

function elsewhereFor({ fleet, machine }: CompileServices, target: Target): Elsewhere | null {
  const of = fleet?.classFor(target) ?? null;
  if (!fleet || !of) return null;
  const here = targetHere(target, detectMachine());
  let waitedMs = 0;
  return {
    fleet,
    of,
    isForeign: machine !== undefined && canonicalJson(here) !== canonicalJson(target),
    clock: () => nowMs() - waitedMs,
    onWait(ms) {
      waitedMs += ms;
    },
  };
}

export async function kernelContext(request: KernelRequest, services: CompileServices): Promise<KernelContext> {
  const { opFile, numerics, threads } = request;
  const { root, cacheDir } = services.options;
  warnOfPlace(services);
  const { wrapStore = (store: Store) => store } = services;
  const opened = wrapStore(openStore(cacheDir, { onForeign: services.onForeign }));
  const later = request.mode === "interim" ? laterStore(opened) : null;
  const store = later ?? opened;
  const loaded = await loadOp(opFile, { root, store, onFiles: services.onSources });
  const file = slashPath(root, opFile);
  const parameters = checkParameters(file, parameterDefaults(loaded.op), request.parameters);
  const op = instantiate(loaded.op, parameters, identifier(opFile));
  const machine = services.machine ?? detectMachine();
  const target = { ...hostTarget(request.target, machine), threads };
  const { constants } = op;
  const task: TuningTask = { op, target, numerics, threads, ...(constants && { constants }) };
  const fields = keyFields(task);
  const elsewhere = elsewhereFor(services, target);
  const browser = services.browser?.measures(target) ? services.browser : null;
  const platform = platformFor(target, machine.platform);
  const toolchain = once(() => toolchainFor(target, { project: root, platform }));
  return {
    request,
    services,
    op,
    opDigest: digestOf(op),
    parameters,
    watchFiles: loaded.files,
    machine,
    platform,
    whyNotHere: whyNotHere(target, machine),
    whyNotComputed: codeGeneratorOf(target).cannotCompute?.(op, numerics) ?? null,
    task,
    key: scheduleKey(fields),
    classKey: classKey(fields),
    lockName: `${file}${queryOf(request, target)}`,
    store,
    runsFresh: true,
    async flush() {
      const warning = await later?.flush();
      if (warning) warnOnce(services, "store", warning);
    },
    toolchain,
    elsewhere,
    browser,
    async workbench(options) {
      const { createWorkbench } = await import("../../../tuner/workbench/workbench.ts");
      if (browser) return createWorkbench({ ...options, runner: browser.open(), measuredBy: `in ${browser.name}` });
      const compiler = await ownCompiler(target);
      const local = createWorkbench({ measuring: measuringPlace(services), compiler, ...options });
      if (services.collector) return services.collector.open(local, task, options.task);
      if (!elsewhere) return local;
      const [{ fleetWorkbench }, { operatorDigest }] = await Promise.all([
        import("../../fleet/fleet-workbench.ts"),
        import("../../../tuner/fleet/job.ts"),
      ]);
      const operator = { file, parameters: request.parameters, digest: operatorDigest(op) };
      const hasCompiler = !needsToolchain(target) || (await toolchain()) !== null;
      const isMeasurableHere =
        !elsewhere.isForeign && hasCompiler && whyNotMeasuredHere(target, detectMachine()) === null;
      return fleetWorkbench({ ...elsewhere, task, operator, local, isMeasurableHere });
    },
  };
}

/** "conv2d.op.ts" → conv2d */
function identifier(file: string): string {
  const name = basename(file)
    .replace(/(\.op)?\.[mc]?[jt]s$/, "")
    .replace(/[^A-Za-z0-9_]/g, "_");
  return /^[A-Za-z_]/.test(name) ? name : `op_${name}`;
}

/** The parts of the import that make another kernel, sorted; `native` is replaced by what it means here. */
function queryOf({ parameters, threads }: KernelRequest, target: Pick<Target, "name">): string {
  const pairs = [...Object.entries(parameters), ["tune", target.name], ...(threads > 1 ? [["threads", threads]] : [])];
  const sorted = pairs.map(([key, value]) => `${key}=${value}`).sort();
  return `?${sorted.join("&")}`;
}

/** Name in the lock of the same kernel for another target. */
export const lockNameFor = ({ lockName, request }: KernelContext, name: string): string =>
  lockName.slice(0, lockName.indexOf("?")) + queryOf(request, { name });

/** Place where a build measures: others that use its cache directory may be in containers of their own. */
export const measuringPlace = ({ options, log }: CompileServices): MeasuringPlace => ({
  directory: options.cacheDir,
  onNotice: ({ level, line }) => log[level](line),
});
