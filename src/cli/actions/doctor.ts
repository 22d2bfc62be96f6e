// `doctor`: what this machine can build, run and measure, target by target.

import { cpus } from "node:os";
import {
  type AcceleratorTarget,
  cudaTargets,
  needsToolchain,
  type TargetName,
  targetNames,
  targets,
  webgpu,
} from "../../compiler/index.ts";
import { executorNamed } from "../../native/backend/executors.ts";
import { hasRelaxedSimd } from "../../native/load/relaxed-simd.ts";
import type { Caches } from "../../native/machine/caches.ts";
import { bestTargetName, detectMachine, whyNotMeasuredHere } from "../../native/machine/machine.ts";
import { findXgboost } from "../../native/machine/xgboost-library.ts";
import { noCompiler } from "../../native/toolchain/compilers.ts";
import { detectToolchains, wantedFamilies } from "../../native/toolchain/detect.ts";
import { platformFor, platformHere, platformNames } from "../../native/toolchain/platform.ts";
import type { Toolchain } from "../../native/toolchain/toolchain.ts";
import { packageManagerOf } from "../../plugin/support/package-manager.ts";
import { textTable } from "../../tuner/report/text-table.ts";
import { projectState } from "../doctor/project-state.ts";
import { exitCodes, type Run } from "../project/command.ts";

interface TargetState {
  readonly target: string;
  readonly builds: boolean;
  readonly runs: boolean;
  /** Description of the part that is missing; null if nothing is. */
  readonly why: string | null;
}

const kilobytes = (bytes: number): string =>
  bytes >= 2 ** 20 ? `${(bytes / 2 ** 20).toFixed(0)} MB` : `${bytes / 1024} KB`;
/** Says which cache sizes kernels are tuned for here. */
export function cachesText(caches: Caches | null, native: TargetName): string {
  const { l1Bytes, l2Bytes, l3Bytes } = caches ?? targets[native];
  const sizes = `L1 ${kilobytes(l1Bytes)}, L2 ${kilobytes(l2Bytes)}, L3 ${kilobytes(l3Bytes)} a core`;
  return caches
    ? sizes
    : `not known: the system does not tell, so kernels are tuned for the target's typical ones (${native}: ${sizes})`;
}

const yes = (is: boolean): string => (is ? "yes" : "no");

/** Says whether XGBoost is there: a library of the system's, called by a package of the project's. */
async function xgboostState(project: string): Promise<string> {
  const library = findXgboost({ project });
  if (library === null) return "no library: the boosted trees of this package are the cost model, and as good";
  const hasKoffi = await import("koffi").then(
    () => true,
    () => false,
  );
  return hasKoffi ? library : `${library}, and no package to call it: ${packageManagerOf(project).add("koffi")}`;
}

/** State of a target for GPUs: kernels are built where their compiler is, if they take one, and run where there is a GPU for them. */
async function gpuState(project: string, target: AcceleratorTarget): Promise<TargetState> {
  const executor = executorNamed(target.backend);
  const builds = (await executor.compiler?.()) !== null;
  const why = (await executor.whyNotHere?.(project, target)) ?? null;
  return { target: target.name, builds, runs: why === null, why };
}

/** Says what calls, compiles and runs CUDA here. */
async function cudaText(): Promise<string> {
  const { cudaOfMachine } = await import("../../native/backend/cuda.ts");
  const { compiler, gpus, reason } = await cudaOfMachine();
  const names = gpus.map(({ name, capability }) => `${name} (${capability.join(".")})`).join(", ");
  return `${names || reason}; ${compiler}`;
}

interface PlatformState {
  readonly platform: string;
  /** Compilers that build addons for it: "zig 0.16.0". */
  readonly builders: readonly string[];
  readonly runs: boolean;
  readonly why: string | null;
}

/** Addons for other systems are made here and run elsewhere: decisions for them come from a lock, a remote store, a pack, or are predicted. */
function platformState(platform: string, compilers: readonly Toolchain[]): PlatformState {
  const runs = platform === platformHere;
  const builders = compilers.map(({ family, version }) => `${family} ${version}`);
  const reasons = [
    ...(builders.length > 0 ? [] : [noCompiler(wantedFamilies(), platform).message]),
    ...(runs ? [] : [`this is ${platformHere}`]),
  ];
  return { platform, builders, runs, why: reasons.join("; ") || null };
}

const named = (compilers: readonly Toolchain[]): string =>
  compilers.map(({ family, version }) => `${family} ${version}`).join(", ");

export const run: Run = async (project) => {
  const { root } = project.options;
  const machine = detectMachine();
  const compilers = await detectToolchains({ project: root });
  const { hint } = noCompiler(wantedFamilies());
  const systems = new Map([[platformHere, compilers]]);
  for (const platform of [...targetNames.map((name) => platformFor(targets[name])), ...platformNames])
    if (!systems.has(platform)) systems.set(platform, await detectToolchains({ project: root, platform }));
  const ofCpus = targetNames.map((name): TargetState => {
    const target = targets[name];
    const platform = platformFor(target);
    const builds = !needsToolchain(target) || systems.get(platform)!.length > 0;
    const whyNot = whyNotMeasuredHere(target, machine);
    const reasons = [...(builds ? [] : [noCompiler(wantedFamilies(), platform).message]), ...(whyNot ? [whyNot] : [])];
    return { target: name, builds, runs: whyNot === null, why: reasons.join("; ") || null };
  });
  const ofGpus: TargetState[] = [];
  for (const target of [...cudaTargets, webgpu]) ofGpus.push(await gpuState(root, target));
  const states = [...ofCpus, ...ofGpus];
  const cpu = cpus()[0]?.model.trim() ?? "unknown";
  const { caches, cores, platform } = machine;
  const native = bestTargetName(machine);
  const state = await projectState(project);
  const platforms = [...systems].map(([name, found]) => platformState(name, found));
  const facts = [
    `CPU        ${cpu}, ${cores} core${cores === 1 ? "" : "s"}, ${platform}`,
    `caches     ${cachesText(caches, native)}`,
    `Node       ${process.version}, V8 ${process.versions.v8}`,
    `compilers  ${named(compilers) || `none: ${hint}`}`,
    `native     is ${native} here`,
    `relaxed    ${hasRelaxedSimd() ? "SIMD is here, so wasm-relaxed twins run" : "SIMD is not in this engine, so plain SIMD runs: Node 22 has it"}`,
    `CUDA       ${await cudaText()}`,
    `xgboost    ${await xgboostState(root)}`,
    ...(state.bundler === null ? [] : [`bundler    ${state.bundler}`]),
    `lock       ${state.lock}`,
    `store      ${state.store}`,
    ...state.storeProblems.map((text) => `           ${text}`),
  ];
  const rows = states.map(({ target, builds, runs, why }) => [target, yes(builds), yes(runs), why ?? ""]);
  const found = compilers.map(({ family, version, path }) => ({ family, version, path }));
  return {
    exitCode: exitCodes.done,
    json: {
      cpu,
      ...machine,
      node: process.versions,
      relaxedSimd: hasRelaxedSimd(),
      project: state,
      compilers: found,
      native,
      targets: states,
      platforms,
    },
    text: [
      ...facts,
      "",
      textTable(["target", "builds", "runs and is measured", "why not"], rows),
      "",
      textTable(
        ["platform", "built by", "runs and is measured", "why not"],
        platforms.map((it) => [it.platform, it.builders.join(", ") || "none", yes(it.runs), it.why ?? ""]),
      ),
    ].join("\n"),
  };
};
