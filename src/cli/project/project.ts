// The project that a command works on: the plugin's options as flags say them, and the kernels that its files import.

import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Diagnostic } from "../../compiler/index.ts";
import { createBuildTunings } from "../../plugin/build/build-tunings.ts";
import { type FoundImport, findImports } from "../../plugin/declarations/find-imports.ts";
import type { Fleet } from "../../plugin/fleet/open-fleet.ts";
import { compileKernel } from "../../plugin/kernel/compile/compile-kernel.ts";
import type { CompileServices } from "../../plugin/kernel/compile-services.ts";
import { type KernelContext, kernelContext } from "../../plugin/kernel/context/kernel-context.ts";
import type { RequestMode } from "../../plugin/kernel/kernel-request.ts";
import { kernelRequest } from "../../plugin/kernel/kernel-request.ts";
import { consoleSink } from "../../plugin/log/log.ts";
import type { ResolvedOptions } from "../../plugin/options/options.ts";
import type { KernelPluginOptions, LogLevel } from "../../plugin/options/types.ts";
import { locatePacks } from "../../plugin/packs/locate-packs.ts";
import type { ParsedRequest } from "../../plugin/request/request.ts";
import { createSession, type Session } from "../../plugin/session/session.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { type StrategyName, strategyNames } from "../../tuner/search/strategy/strategy.ts";
import { parseLocatedJson } from "../../tuner/support/located-json.ts";
import { badArgument, type Flags } from "../flags/flags.ts";
import { remoteOf } from "../flags/remote-flags.ts";

/** @param importer absolute path of the file that has the import */
export type OnLost = (specifier: string, importer: string) => void;

export interface Project {
  readonly session: Session;
  readonly options: ResolvedOptions;
  /** @param onLost told of each import that leads to no operator file, which the log names too */
  imports(onLost?: OnLost): Promise<readonly FoundImport[]>;
  /** Has kernels measured on a fleet from now on; null: here. */
  useFleet(fleet: Fleet | null): void;
  /** Why the lock did not get a decision of this run; null: it has them all. */
  lockProblem(): Diagnostic | null;
  /** Context of a kernel, for commands that look at it without compiling it. */
  contextOf(request: ParsedRequest, mode: RequestMode, special?: Partial<CompileServices>): Promise<KernelContext>;
}

/** @throws DiagnosticError `command.bad-argument` */
function strategiesIn(list: unknown): readonly StrategyName[] {
  const names = list === undefined ? [] : String(list).split(",");
  return names.map((given) => {
    const name = strategyNames.find((known) => known === given);
    if (!name) throw badArgument(`--compare has "${given}"`, `some of ${strategyNames.join(",")}`);
    return name;
  });
}

/**
 * @param given as the user wrote it
 * @throws DiagnosticError `command.bad-argument`
 */
export function requireFolder(given: string, path = given, wanted = "a folder"): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw badArgument(`there is no ${given}`, wanted);
  if (!found.isDirectory()) throw badArgument(`${given} is no folder`, wanted);
}

/** Reads the value of option `trust` from a file, which the bundler's configuration may import, too. */
function trustIn(file: string, root: string): NonNullable<KernelPluginOptions["trust"]> {
  try {
    // A list that stands there twice, as after a bad merge, is a mistake: one of the two would not count.
    const { value } = parseLocatedJson(readFileSync(resolve(root, file), "utf8"));
    return value as NonNullable<KernelPluginOptions["trust"]>;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badArgument(
      `--trust names ${file}, which cannot be read: ${why}`,
      "a JSON file with the value of option trust",
    );
  }
}

/** @throws DiagnosticError `options.bad-value`, `command.bad-argument`, `packs.not-found` */
export function openProject(flags: Flags, logLevel: LogLevel, budget: KernelPluginOptions["budget"] = {}): Project {
  const { root, lockfile, cacheDir, include, numerics, pack, backend, engines } = flags;
  if (root !== undefined) requireFolder(String(root));
  const given = Object.entries({ root, lockfile, cacheDir, include, numerics }).filter(
    ([, value]) => value !== undefined,
  );
  const trust = flags.trust === undefined ? {} : { trust: trustIn(String(flags.trust), String(root ?? ".")) };
  const said = {
    ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
    ...(flags.offline ? { offline: true } : {}),
    ...(engines !== undefined && {
      engines: String(engines).split(",") as NonNullable<KernelPluginOptions["engines"]>,
    }),
    ...trust,
  };
  const listOf = (flag: unknown): readonly string[] => (flag === undefined ? [] : [flag].flat().map(String));
  const [packs, backends] = [listOf(pack), listOf(backend)];
  const remote = remoteOf(flags);
  let fleet: Fleet | null = null;
  let lockProblem: Diagnostic | null = null;
  const onUnwritten = (problem: Diagnostic): void => {
    lockProblem = problem;
  };
  const compare = strategiesIn(flags.compare);
  // The mode is each command's own affair: CI does not freeze `tune`.
  const session = createSession(
    { ...said, ...(remote && { remote }), packs, backends, budget, logLevel, mode: "tune" },
    (request, services) => compileKernel({ ...request, compare }, { ...services, fleet, onUnwritten }),
  );
  session.configure(process.cwd(), consoleSink);
  const options = session.options();
  locatePacks(options);
  const { signal } = new AbortController();
  const tunings = createBuildTunings({ totalSeconds: null, signal, told: session.told });
  const services = { options, log: session.log(), signal, tunings, onUnwritten };
  const warnOfLost: OnLost = (specifier, importer) =>
    session
      .log()
      .warn(`${slashPath(options.root, importer)}: "${specifier}" leads to no operator file, and is left out`);
  return {
    session,
    options,
    imports: (onLost = () => {}) =>
      findImports(options.root, options.accepts, undefined, (specifier, importer) => {
        warnOfLost(specifier, importer);
        onLost(specifier, importer);
      }),
    useFleet(used) {
      fleet = used;
    },
    lockProblem: () => lockProblem,
    contextOf: (request, mode, special) =>
      kernelContext(kernelRequest(request, options, mode), { ...services, fleet, ...special }),
  };
}
