// State that lives as long as a bundler's plugin instance: options, log, and the kernels that are being compiled.

import { basename } from "node:path";
import { nextTurn, nowMs } from "../../native/machine/clock.ts";
import { createBackgroundTuner } from "../background/background-tuner.ts";
import { type BuildTuningsOptions, createBuildTunings } from "../build/build-tunings.ts";
import { type Interrupt, onInterrupt } from "../build/interrupt.ts";
import type {
  AwaitedVisit,
  BackgroundTuner,
  BuildTunings,
  CompileKernel,
  CompileServices,
  TunerServices,
} from "../kernel/compile-services.ts";
import type { CompiledKernel } from "../kernel/compiled-kernel.ts";
import { type KernelRequest, kernelRequest, type RequestMode } from "../kernel/kernel-request.ts";
import { consoleSink, createLog, type Log, type LogSink } from "../log/log.ts";
import { type ResolvedOptions, resolveOptions } from "../options/options.ts";
import type { KernelPluginOptions } from "../options/types.ts";
import { locatePacks } from "../packs/locate-packs.ts";
import type { ParsedRequest } from "../request/request.ts";
import type { Topic } from "../support/say-once.ts";
import { createBuildReport } from "./build-report.ts";
import { createDeclarationsInBuild } from "./declarations-in-build.ts";
import { foreignLine, summarize } from "./summary.ts";

type OnProgress = CompileServices["onProgress"];

export interface Session {
  options(): ResolvedOptions;
  log(): Log;
  /** Topics of which something was said in the present build. */
  readonly told: Set<Topic>;
  /** Takes the host's root folder and its logger. */
  configure(hostRoot: string, sink: LogSink): void;
  /**
   * Compiles a kernel, once at a time, however many modules, environments and callers want it.
   *
   * @param onProgress of who starts it; else it goes to the log
   */
  compile(request: ParsedRequest, mode?: RequestMode, onProgress?: OnProgress): Promise<CompiledKernel>;
  /** Files of the operator that was compiled last for the request, be it right or not. */
  sourcesOf(request: ParsedRequest): readonly string[];
  /** Resolves when nothing is being compiled any more, and nothing more has been asked for then. */
  settled(): Promise<void>;
  /** Kernels that are being compiled. */
  busy(): number;
  /**
   * Starts the count of a build, and the making of declarations, if they are wanted.
   *
   * @throws DiagnosticError `packs.not-found`
   */
  begin(): void;
  /** Called when a source file has changed: declarations follow. */
  changed(): void;
  /**
   * Prints the summary of what was compiled since `begin`, once, unless something is being compiled still, and waits for the declarations.
   * At the end of a build it writes the report of all kernels so far, too.
   */
  finish(isBuild?: boolean): Promise<void>;
  /** Tunes in another process from now on, with low priority, so that the machine stays usable meanwhile. */
  tuneInBackground(): void;
  /**
   * Has a page that visits tune kernels for the class of its GPU, in that process. Returns the places of those that have a new decision; none
   * where nothing is tuned in another process.
   */
  awaitVisit(requests: readonly ParsedRequest[], visit: Omit<AwaitedVisit, "requests">): Promise<readonly number[]>;
  /** Stops tuning; what was measured is kept. A kernel that is asked for later is still compiled. */
  close(): void;
}

/** Counts what a build compiles. Kernels are compiled at the same time: what counts is the time in which there was any. */
function createTally() {
  const kernels = new Map<string, CompiledKernel>();
  /** Keys of the store's entries that were found and not trusted. */
  const foreign = new Set<string>();
  let elapsedMs = 0;
  let busySince = 0;
  return {
    busy(): void {
      busySince = nowMs();
    },
    idle(): void {
      elapsedMs += nowMs() - busySince;
    },
    add: (id: string, kernel: CompiledKernel) => void kernels.set(id, kernel),
    onForeign: (key: string) => void foreign.add(key),
    clear(): void {
      kernels.clear();
      foreign.clear();
      elapsedMs = 0;
    },
    /** Returns the lines that sum it up and begins anew; none: there was nothing. */
    take(lockName: string): readonly string[] {
      const line = summarize([...kernels.values()], lockName, elapsedMs);
      const lines = line ? [line, ...(foreign.size > 0 ? [foreignLine(foreign.size)] : [])] : [];
      this.clear();
      return lines;
    },
  };
}

/** Tunings of the present build: made when the options are known, and again for each build. */
function createPresentTunings() {
  const told = new Set<Topic>();
  let tunings: BuildTunings | null = null;
  return {
    told,
    tunings(options: Omit<BuildTuningsOptions, "told">): BuildTunings {
      tunings ??= createBuildTunings({ ...options, told });
      return tunings;
    },
    end(): void {
      tunings = null;
      told.clear();
    },
  };
}

/** A bundler that hears of one failure may end its process: when all are stopped, each waits until all have cleaned up. */
async function together<T>(compiled: Promise<T>, compiling: Set<Promise<unknown>>, signal: AbortSignal): Promise<T> {
  compiling.add(compiled);
  try {
    return await compiled;
  } catch (error) {
    if (signal.aborted) await Promise.allSettled(compiling);
    throw error;
  } finally {
    compiling.delete(compiled);
  }
}

async function whenEmpty(compiling: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (compiling.size > 0) {
    await Promise.allSettled(compiling);
    // A bundler asks next for those that have waited for a place among its reads.
    await nextTurn();
  }
}

/** The process that tunes for a dev server; none until it is wanted. */
function createBackground() {
  let tuner: BackgroundTuner | null = null;
  return {
    tuner: () => tuner,
    start(): void {
      tuner ??= createBackgroundTuner();
    },
    visit: async (visit: AwaitedVisit, services: TunerServices) => tuner?.visit(visit, services) ?? [],
  };
}

const toTune = (requests: readonly ParsedRequest[], options: ResolvedOptions): readonly KernelRequest[] =>
  requests.map((request) => kernelRequest(request, options, "tune"));

export function createSession(given: KernelPluginOptions, compile: CompileKernel): Session {
  let options = resolveOptions(given);
  let log = createLog(options.logLevel, consoleSink);
  const tally = createTally();
  let controller = new AbortController();
  const elsewhere = createBackground();
  const present = createPresentTunings();
  const warn = (line: string): void => log.warn(line);
  const declarations = createDeclarationsInBuild(() => options, warn);
  const report = createBuildReport();
  const flying = new Map<string, Promise<CompiledKernel>>();
  const sources = new Map<string, readonly string[]>();
  const compiling = new Set<Promise<unknown>>();
  /** Handler of signals that stops the compilation; null unless a kernel is being compiled. */
  let interrupt: Interrupt | null = null;

  const run = async (id: string, request: ParsedRequest, mode: RequestMode, onProgress: OnProgress) => {
    const { signal } = controller;
    const tunings = present.tunings({ totalSeconds: options.totalSeconds, signal });
    const onSources = (files: readonly string[]): void => void sources.set(request.path, files);
    const background = elsewhere.tuner();
    const services = { options, log, signal, tunings, background, onSources, onForeign: tally.onForeign, onProgress };
    const compiled = compile(kernelRequest(request, options, mode), services).finally(log.progress.end);
    const kernel = await together(compiled, compiling, signal);
    tally.add(id, kernel);
    report.add(request, kernel);
    return kernel;
  };

  const landed = (id: string): void => {
    flying.delete(id);
    if (flying.size > 0) return;
    tally.idle();
    interrupt?.ignore();
    interrupt = null;
  };

  return {
    options: () => options,
    log: () => log,
    told: present.told,
    configure(hostRoot, sink) {
      options = resolveOptions(given, hostRoot);
      log = createLog(options.logLevel, sink);
    },
    compile(request, mode = options.mode, onProgress = log.progress.show) {
      const id = `${mode} ${request.path}${request.query}`;
      if (flying.size === 0) tally.busy();
      const started = flying.get(id) ?? run(id, request, mode, onProgress).finally(() => landed(id));
      flying.set(id, started);
      interrupt ??= onInterrupt(controller, () => Promise.allSettled(flying.values()));
      return started;
    },
    sourcesOf: ({ path }) => sources.get(path) ?? [path],
    busy: () => compiling.size,
    settled: () => whenEmpty(compiling),
    begin() {
      if (options.packs.length > 0) locatePacks(options);
      tally.clear();
      declarations.refresh();
      if (flying.size === 0) present.end();
    },
    changed: declarations.refresh,
    async finish(isBuild = true) {
      for (const line of flying.size === 0 ? tally.take(basename(options.lockfile)) : []) log.info(line);
      await declarations.settled();
      if (isBuild && !controller.signal.aborted) await report.write(options, log, present.told);
    },
    tuneInBackground: elsewhere.start,
    awaitVisit(requests, rest) {
      const visit = { ...rest, requests: toTune(requests, options) };
      return elsewhere.visit(visit, { options, log, signal: controller.signal });
    },
    close() {
      controller.abort(new Error("the server was closed"));
      controller = new AbortController();
      present.end();
    },
  };
}
