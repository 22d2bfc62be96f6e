// One kernel of a project → what a report says of it: its schedule and the default one, what was measured, how it was searched.

import {
  type ComputeDef,
  codeGeneratorOf,
  codegenVersion,
  factsOf,
  needsToolchain,
  printComputeDef,
  printTrace,
} from "../../compiler/index.ts";
import { cachesOf, targetClass } from "../../tuner/data/key.ts";
import type { TuningRecord } from "../../tuner/data/record.ts";
import type { Candidate } from "../../tuner/data/space.ts";
import type { TuningTask } from "../../tuner/data/task.ts";
import { taskKey } from "../../tuner/data/task-key.ts";
import type { RecordDatabase } from "../../tuner/record/database.ts";
import { inspectCandidate } from "../../tuner/report/inspect.ts";
import { candidateKey } from "../../tuner/search/point/search-space.ts";
import { generateSpace } from "../../tuner/space/generate.ts";
import type { LoggedTuning } from "../../tuner/tuning/tuning-log.ts";
import { type KernelContext, targetHere } from "../kernel/context/kernel-context.ts";
import { knownSchedule } from "../kernel/decision/known-schedule.ts";
import type { KernelDecision } from "../kernel/decision.ts";
import { hasCaches, isPortable } from "../kernel/schedule.ts";
import { predictSchedule } from "../kernel/source/predict-schedule.ts";
import { generated } from "../kernel/source/schedule-source.ts";
import { measurementsOf, tuningsOf } from "./measurements.ts";
import type { KernelReport, ScheduleOrigin, SchedulePair, ScheduleReport } from "./report-data.ts";
import { type LimitsSource, roofOf } from "./roof.ts";

/** Measurements in this cache directory, of all kernels. */
export interface History {
  readonly database: RecordDatabase;
  readonly tunings: readonly LoggedTuning[];
  readonly limits: LimitsSource;
}

/**
 * @param built where the schedule of a build that has just ended is from; null: of what a build would take
 * @throws DiagnosticError `lock.broken`, `lock.version`, `space.empty`
 */
export async function kernelReport(
  context: KernelContext,
  history: History,
  built: ScheduleOrigin | null,
): Promise<KernelReport> {
  const { op, parameters, lockName, request } = context;
  const decision = await knownSchedule(context);
  const { task, measured } = decision;
  const { target, numerics, threads } = task;
  const predicted = (await predictSchedule(context, task)).candidate;
  const { records, tunings, toolchain } = measuredOf(task, history, measured?.toolchain ?? null);
  const { flops, bytesRead, bytesWritten } = factsOf(op);
  // The schedule may be for another target of this ISA, or for other caches: where it was measured is another question.
  const here = targetHere(target, context.machine);
  const isHere = measured?.machine === targetClass(here);
  const measurements = measurementsOf(records, decision.candidate, predicted);
  const times = [...measurements.candidates.map(({ ns }) => ns), isHere ? measured.medianNs : null];
  const leastNs = times.reduce((least, ns) => (ns === null || (least !== null && least < ns) ? least : ns), null);
  return {
    kind: "kernel",
    name: lockName,
    parameters,
    target: target.name,
    numerics,
    threads,
    twin: isPortable({ target }) ? wasmTwin[numerics] : nativeTwin[request.fallback],
    origin: built ?? decision.origin,
    tunedFor: hasCaches(context.task, cachesOf(target)) ? null : cachesOf(target),
    expression: printComputeDef(op),
    flops,
    bytes: bytesRead + bytesWritten,
    measured: measured && {
      medianNs: measured.medianNs,
      gflops: measured.gflops,
      toolchain: measured.toolchain,
      trials: measured.trials,
      isHere,
    },
    roof: await roofOf(
      context,
      { computed: computedBy(decision), target: isHere ? here : target, toolchain, leastNs },
      history.limits,
    ),
    tunings: tuningsOf(records, tunings),
    ...measurements,
    schedules: schedulesOf(decision, predicted),
  };
}

/**
 * Definition that the schedule computes. It need not be the operator as written: Winograd's algorithm has fewer
 * operations than the convolution.
 */
const computedBy = ({ task, candidate }: KernelDecision): ComputeDef =>
  generateSpace(task).templates.find(({ name }) => name === candidate.template)?.op ?? task.op;

const wasmTwin = { fast: "relaxed SIMD, else SIMD128", strict: "SIMD128" } as const;
const nativeTwin = { wasm: "WASM", none: "none" } as const;

interface Measured {
  readonly records: readonly TuningRecord[];
  readonly tunings: readonly LoggedTuning[];
  readonly toolchain: string;
}

/** Records and tunings with the compiler that the decision was measured with; null as `wanted`: with that which measured last. */
function measuredOf(task: TuningTask, { database, tunings }: History, wanted: string | null): Measured {
  const query = { task: taskKey(task), targetClass: targetClass(task.target), codegen: codegenVersion };
  const all = database.records(query);
  const toolchain = wanted ?? all.at(-1)?.toolchain ?? (needsToolchain(task.target) ? "" : task.target.backend);
  const isOurs = (it: LoggedTuning): boolean =>
    it.task === query.task &&
    it.targetClass === query.targetClass &&
    it.codegen === query.codegen &&
    it.toolchain === toolchain;
  return { records: all.filter((it) => it.toolchain === toolchain), tunings: tunings.filter(isOurs), toolchain };
}

function schedulesOf(decision: KernelDecision, predicted: Candidate): SchedulePair {
  const { task, candidate } = decision;
  if (!generated(decision))
    return {
      chosen: null,
      default: null,
      problem: "the decisions do not lead to their source: unplugin-kernel verify",
    };
  const isDefault = candidateKey(candidate) === candidateKey(predicted);
  return {
    chosen: scheduleReport(task, candidate),
    default: isDefault ? null : scheduleReport(task, predicted),
    problem: null,
  };
}

function scheduleReport(task: TuningTask, candidate: Candidate): ScheduleReport {
  const { template, decisions, trace, nest, code } = inspectCandidate(task, generateSpace(task), candidate);
  const { language } = codeGeneratorOf(task.target);
  return { template, decisions, steps: printTrace(trace), nest, code, language };
}
