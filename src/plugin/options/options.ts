// The plugin's options as given → complete, checked options. The only file of the plugin that reads the environment.

import { dirname, join, resolve } from "node:path";
import {
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticError,
  type EngineClass,
  engineClasses,
  type Numerics,
} from "../../compiler/index.ts";
import { configurationFolder } from "../../native/file/configuration-folder.ts";
import { platformNames } from "../../native/toolchain/platform.ts";
import type { Budget } from "../../tuner/data/task.ts";
import type { OperatorFilter } from "../request/is-of-others.ts";
import { packageOf } from "../request/locate-operator.ts";
import { allowedRemote } from "./allowed-remote.ts";
import { withoutCredentials } from "./credentials.ts";
import { pathFilter } from "./path-pattern.ts";
import { isRemoteOption, type ResolvedRemote, remoteWanted, resolveRemote } from "./remote-options.ts";
import { reportName } from "./report-name.ts";
import { isTrust, type ResolvedTrust, resolveTrust, wantedTrust, withoutSecrets } from "./trust-option.ts";
import { type KernelPluginOptions, type LogLevel, logLevels, type Mode, modes, type PathPattern } from "./types.ts";

export interface ResolvedOptions extends OperatorFilter {
  /** Absolute path of the project, as the other paths are. */
  readonly root: string;
  /** Systems that a build is for; null: that of the machine. */
  readonly platforms: readonly string[] | null;
  /** Classes of engines that WASM kernels have schedules of their own for, each once. */
  readonly engines: readonly EngineClass[];
  readonly cacheDir: string;
  readonly lockfile: string;
  readonly mode: Mode;
  readonly budget: Budget;
  /** Seconds for all kernels of a build together; null: each has its own budget alone. */
  readonly totalSeconds: number | null;
  readonly onMiss: "error" | "fallback";
  /** Packages of decisions, the first of them first. */
  readonly packs: readonly string[];
  /** Modules of back ends that are not ours. */
  readonly backends: readonly string[];
  /** The store that is shared, with its credentials, which must never be printed or written to a file. */
  readonly remote: ResolvedRemote | null;
  readonly trust: ResolvedTrust;
  /** Private key that signs decisions, from the environment only; null: none are signed. */
  readonly signingKey: string | null;
  /** File of the private key, where the environment has none. It may be missing. */
  readonly signingKeyFile: string | null;
  /** Path of the declarations; null: none are written. */
  readonly dts: string | null;
  readonly report: string | null;
  readonly schedules: boolean;
  readonly logLevel: LogLevel;
  readonly numerics: Numerics;
}

/** Resolved options without the functions that choose files. */
export type CompileOptions = Omit<ResolvedOptions, keyof OperatorFilter>;

/** Seconds and trials of one tuning; performance.md asks for a first tuning within 60 s on two cores. */
export const defaultBudget: Budget = { seconds: 30, trials: 512 };

type Check = (value: unknown) => boolean;
interface Rule {
  readonly wanted: string;
  readonly holds: Check;
}

const isString: Check = (value) => typeof value === "string" && value !== "";
const isPattern: Check = (value) => isString(value) || value instanceof RegExp;
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isPositive: Check = (value) => typeof value === "number" && Number.isFinite(value) && value > 0;

const isPlatform: Check = (value) => platformNames.some((name) => name === value);

const isEngine: Check = (value) => engineClasses.some((name) => name === value);

const patterns: Rule = {
  wanted: "a glob, a regular expression, or a list of them",
  holds: (v) => isPattern(v) || isListOf(isPattern)(v),
};
const path: Rule = { wanted: "a path", holds: isString };
const output: Rule = {
  wanted: "true, false or a path",
  holds: (value) => typeof value === "boolean" || isString(value),
};
const oneOf = (values: readonly string[]): Rule => ({
  wanted: values.map((value) => `"${value}"`).join(", "),
  holds: (value) => typeof value === "string" && values.includes(value),
});

const rules: { readonly [K in keyof Required<KernelPluginOptions>]: Rule } = {
  include: patterns,
  exclude: patterns,
  root: path,
  platforms: {
    wanted: `a list of ${platformNames.join(", ")}`,
    holds: (value) => isListOf(isPlatform)(value) && (value as readonly string[]).length > 0,
  },
  engines: { wanted: `a list of ${engineClasses.join(", ")}`, holds: isListOf(isEngine) },
  cacheDir: path,
  lockfile: path,
  mode: oneOf(modes),
  budget: { wanted: "{ seconds, trials, total } with numbers above 0", holds: isBudget },
  onMiss: oneOf(["error", "fallback"]),
  packs: { wanted: "a list of packages", holds: isListOf(isString) },
  backends: { wanted: "a list of modules", holds: isListOf(isString) },
  remote: { wanted: remoteWanted, holds: isRemoteOption },
  offline: { wanted: "true or false", holds: (value) => typeof value === "boolean" },
  trust: { wanted: wantedTrust, holds: isTrust },
  dts: output,
  report: output,
  schedules: { wanted: "true or false", holds: (value) => typeof value === "boolean" },
  logLevel: oneOf(logLevels),
  numerics: oneOf(["fast", "strict"]),
};

const budgetKeys: readonly string[] = ["seconds", "trials", "total"];

function isBudget(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).every(([key, part]) => budgetKeys.includes(key) && isPositive(part));
}

/** Text of a value as people write it in a configuration file, cut to 60 characters. */
function show(value: unknown): string {
  const text = typeof value === "function" ? "a function" : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function mistake(code: DiagnosticCode, message: string, hint: string | null): Diagnostic {
  return { code, message, loc: null, hint, detail: null };
}

/** Options whose values may hold a secret, and how they are shown. */
const shownAs: Readonly<Record<string, (value: unknown) => unknown>> = {
  remote: withoutCredentials,
  trust: withoutSecrets,
};

/** Finds a wrong option; null if every option is known and of the right kind. Undefined stands for the default. */
function findMistake(options: Readonly<Record<string, unknown>>): Diagnostic | null {
  for (const [name, value] of Object.entries(options)) {
    const rule: Rule | undefined = Object.hasOwn(rules, name) ? rules[name as keyof KernelPluginOptions] : undefined;
    if (!rule) {
      const known = Object.keys(rules).sort().join(", ");
      return mistake("options.unknown", `unplugin-kernel has no option ${show(name)}`, `the options are ${known}`);
    }
    if (value !== undefined && !rule.holds(value)) {
      const shown = show(shownAs[name]?.(value) ?? value);
      return mistake("options.bad-value", `option ${name} is ${shown}`, `wanted: ${rule.wanted}`);
    }
  }
  return null;
}

const listOf = (value: PathPattern | readonly PathPattern[] | undefined): readonly PathPattern[] | undefined =>
  typeof value === "string" || value instanceof RegExp ? [value] : value;

/** Folder of the nearest package.json in a folder or above it; the folder itself where there is none. */
function packageFolder(folder: string): string {
  const manifest = packageOf(resolve(folder, "package.json"));
  return manifest === null ? resolve(folder) : dirname(manifest);
}

const outputPath = (root: string, value: boolean | string | undefined, name: string): string | null =>
  value === undefined || value === false ? null : resolve(root, value === true ? name : value);

const signingKeyIn = (folder: string | null): string | null => folder && join(folder, "signing.key");

/** Says whether a variable of the environment is there and does not say no. */
const isSet = (value: string | undefined): boolean => !["", "0", "false"].includes(value ?? "");

/** @throws DiagnosticError `options.bad-value`: the namespace is not for this build */
function remoteOf(
  option: KernelPluginOptions["remote"],
  environment: Readonly<Record<string, string | undefined>>,
): ResolvedRemote | null {
  const remote = resolveRemote(option, environment);
  if (!remote) return null;
  const allowed = allowedRemote(remote, environment, isCi(environment));
  if (allowed.kind === "allowed") return allowed.remote;
  const hint = "pull requests have namespaces of their own, and no other build reads them: docs/trust.md";
  throw new DiagnosticError(mistake("options.bad-value", `option remote: ${allowed.why}`, hint));
}

/** Says whether a CI service runs the build: it sets CI=true or CI=1. CI=false and CI=0 mean that none does. */
export const isCi = (environment: Readonly<Record<string, string | undefined>> = process.env): boolean =>
  isSet(environment.CI);

/**
 * The mode of a program that runs from its sources: in production nothing is measured.
 *
 * @throws DiagnosticError `options.bad-value`
 */
export function modeOfProgram(environment: Readonly<Record<string, string | undefined>> = process.env): Mode {
  const { UNPLUGIN_KERNEL_MODE: wanted, NODE_ENV } = environment;
  if (wanted) return resolveOptions({ mode: wanted as Mode }).mode;
  return NODE_ENV === "production" || isCi(environment) ? "frozen" : "tune";
}

/** Secret that signs the jobs and results of a fleet, read from the environment only; null: they are not signed. */
export const fleetKey = (environment: Readonly<Record<string, string | undefined>> = process.env): string | null =>
  environment.UNPLUGIN_KERNEL_QUEUE_KEY || null;

/**
 * Fills in the defaults. `hostRoot` is the bundler's own root folder, if it has one: lock and store lie in the package that it
 * is a part of, where the command line looks for them, too.
 *
 * @throws DiagnosticError `options.unknown`, `options.bad-value`.
 */
export function resolveOptions(
  given: KernelPluginOptions | null = {},
  hostRoot: string = process.cwd(),
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ResolvedOptions {
  const options = given ?? {};
  const wrong = findMistake({ ...options });
  if (wrong) throw new DiagnosticError(wrong);
  const root = options.root === undefined ? packageFolder(hostRoot) : resolve(hostRoot, options.root);
  const excluded = listOf(options.exclude) ?? [];
  const { total = null, ...budget } = options.budget ?? {};
  const isOffline = options.offline ?? isSet(environment.UNPLUGIN_KERNEL_OFFLINE);
  return {
    accepts: pathFilter(listOf(options.include) ?? [/\.op\.m?[jt]s$/], excluded, root),
    leavesOut: pathFilter(excluded, [], root),
    root,
    platforms: options.platforms ?? null,
    engines: engineClasses.filter((it) => options.engines?.includes(it)),
    cacheDir: resolve(root, options.cacheDir ?? "node_modules/.cache/unplugin-kernel"),
    lockfile: resolve(root, options.lockfile ?? "kernels.lock.json"),
    mode: options.mode ?? (isCi(environment) ? "frozen" : "tune"),
    budget: { ...defaultBudget, ...budget },
    totalSeconds: total,
    onMiss: options.onMiss ?? "error",
    packs: options.packs ?? [],
    backends: options.backends ?? [],
    remote: isOffline ? null : remoteOf(options.remote, environment),
    trust: resolveTrust(options.trust, (file) => resolve(root, file)),
    signingKey: environment.UNPLUGIN_KERNEL_SIGNING_KEY || null,
    signingKeyFile: signingKeyIn(configurationFolder(environment)),
    dts: outputPath(root, options.dts, "kernel-imports.d.ts"),
    report: outputPath(root, options.report, reportName),
    schedules: options.schedules ?? false,
    logLevel: options.logLevel ?? "info",
    numerics: options.numerics ?? "fast",
  };
}
