// From a request to a compiled kernel: the operator is loaded, the mode decides who makes the schedule, the schedule
// becomes bytes.

import { asCpu, kernelParameters } from "../../../compiler/index.ts";
import { cachesOf } from "../../../tuner/data/key.ts";
import { conciseMeasured } from "../../../tuner/lock/lock-entry.ts";
import { failAlone } from "../../support/fail-alone.ts";
import { slashPath } from "../../support/shown-path.ts";
import { type Artifacts, makeArtifacts, withoutCode } from "../artifacts/make-artifacts.ts";
import type { CompileKernel } from "../compile-services.ts";
import type { CompiledKernel, ElsewhereSchedule, EngineVariant, GpuVariant } from "../compiled-kernel.ts";
import { type KernelContext, kernelContext } from "../context/kernel-context.ts";
import { decideSchedule } from "../decision/decide-schedule.ts";
import type { KernelDecision } from "../decision.ts";
import { hasCaches } from "../schedule.ts";
import { addonsElsewhere } from "./addons-elsewhere.ts";
import { engineVariants } from "./engine-variants.ts";
import { gpuVariants } from "./gpu-variants.ts";

/** Loads the modules that only a kernel in neither lock nor store needs, before the first such kernel comes. */
export async function loadForMisses(): Promise<void> {
  await Promise.all([
    import("../source/make-prediction.ts"),
    import("../source/schedule-source.ts"),
    import("../../operator/bundle-with-esbuild.ts"),
  ]);
}

export const compileKernel: CompileKernel = (request, services) =>
  failAlone(slashPath(services.options.root, request.opFile), services.signal, async () =>
    compileInContext(await kernelContext(request, services)),
  );

/** Compiles a kernel in a given context, which tests make with another workbench or another machine. */
export const compileInContext = (context: KernelContext): Promise<CompiledKernel> =>
  failAlone(context.lockName, context.services.signal, () => compileNamed(context));

async function compileNamed(context: KernelContext): Promise<CompiledKernel> {
  if (context.request.mode === "off") return compiledKernel(context, null, noArtifacts);
  return context.services.tunings.checks.during(() => compileDecided(context));
}

async function compileDecided(context: KernelContext): Promise<CompiledKernel> {
  const decision = await decideSchedule(context);
  const { addons, schedules } = await addonsElsewhere(context, decision);
  const artifacts = await makeArtifacts(context, decision, addons);
  const kernel = await compiledKernel(context, decision, artifacts, {
    variants: await engineVariants(context),
    elsewhere: schedules,
    gpuVariants: await gpuVariants(context),
  });
  // A guess is made for now: the tuning behind it writes what is to stay.
  if (decision.origin !== "predicted") await context.flush();
  return kernel;
}

/** Plain loops, for a kernel without artifacts. Their error bound is not 0, as they round too. */
async function plainLoops({ op, task }: KernelContext): Promise<Pick<CompiledKernel, "twins" | "errorBound">> {
  const { asWritten, referenceLoops, worstRelativeError } = await import("./reference-loops.ts");
  const twin = { kind: "loops", source: referenceLoops(op) } as const;
  return { twins: [...withoutCode(task), twin], errorBound: worstRelativeError(op, asWritten(op).roundings) };
}

const noArtifacts: Artifacts = { twins: [], reason: null, trace: "", errorBound: null, compilerRuns: 0 };

/** Schedules of a kernel beside its own. */
interface Others {
  readonly variants: readonly EngineVariant[];
  readonly elsewhere: readonly ElsewhereSchedule[];
  readonly gpuVariants: readonly GpuVariant[];
}

async function compiledKernel(
  context: KernelContext,
  decision: KernelDecision | null,
  artifacts: Artifacts,
  { variants, elsewhere, gpuVariants: ofGpus }: Others = { variants: [], elsewhere: [], gpuVariants: [] },
): Promise<CompiledKernel> {
  const { op, parameters, task, key, watchFiles } = context;
  const { reason, trace, compilerRuns } = artifacts;
  const { twins, errorBound } = artifacts.twins.length > 0 ? artifacts : await plainLoops(context);
  return {
    op: op.name,
    parameters,
    target: (decision?.origin === "same-isa" ? decision.task : task).target.name,
    numerics: task.numerics,
    tensors: kernelParameters(op),
    constants: op.constants ?? [],
    twins,
    ...(variants.length > 0 && { variants }),
    ...(elsewhere.length > 0 && { elsewhere }),
    ...(ofGpus.length > 0 && { gpuVariants: ofGpus }),
    reason,
    trace,
    errorBound,
    // As the lock has it: the build that tunes and those that find its decision there give the same bytes.
    gflops: decision?.measured ? conciseMeasured(decision.measured).gflops : null,
    key,
    watchFiles,
    origin: decision?.origin ?? "reference",
    isForOtherCaches:
      decision !== null && asCpu(task.target) !== null && !hasCaches(task, cachesOf(decision.task.target)),
    measurements: [...variants, ...elsewhere].reduce((sum, it) => sum + it.measurements, decision?.measurements ?? 0),
    compilerRuns: (decision?.compilerRuns ?? 0) + compilerRuns,
  };
}
