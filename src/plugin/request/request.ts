// The import of a kernel: "./gemm.op.ts?tune=avx512&M=64" → file and settings, and back to one normal spelling.

import { dtypes, mostThreads, type Parameters, refuse, targetNamed, targetNames } from "../../compiler/index.ts";

/** Our targets that an import may name; `native` is the best that the building machine has. */
export const requestTargets = [...targetNames, "cuda-sm80", "cuda-sm90", "webgpu", "native"] as const;
/** One of these, or a target of a back end that `useBackend` was given. */
export type RequestTarget = (typeof requestTargets)[number] | (string & {});

export interface KernelSettings {
  readonly target: RequestTarget;
  /** Implementation where the target cannot run: the WASM twin, or none. */
  readonly fallback: "wasm" | "none";
  readonly threads: number;
  /** Most candidates; null: as many as the plugin's budget says. */
  readonly trials: number | null;
  readonly seconds: number | null;
  /** Whether the WASM module is part of the code, so that it can be used at once in a browser; null: if it is small. */
  readonly sync: boolean | null;
  /** Overrides of the operator's parameters, sorted by name. */
  readonly parameters: Parameters;
}

export interface ParsedRequest {
  /** Path as it was written, without the query. */
  readonly path: string;
  readonly settings: KernelSettings;
  /** Query, sorted, without defaults and without what bundlers add: "?M=64&tune=wasm". */
  readonly query: string;
}

/** Returns the request of the same kernel for another target. */
export const requestFor = ({ path, query, settings }: ParsedRequest, target: RequestTarget): ParsedRequest => ({
  path,
  query: query.replace(/([?&]tune=)[^&]*/, `$1${target}`),
  settings: { ...settings, target },
});

interface Key {
  readonly wanted: string;
  readonly holds: (value: string) => boolean;
}

const oneOf = (values: readonly string[]): Key => ({
  wanted: values.join(", "),
  holds: (value) => values.includes(value),
});

const count = (most: number): Key => ({
  wanted: `a whole number from 1 to ${most}`,
  holds: (value) => /^[1-9][0-9]{0,8}$/.test(value) && Number(value) <= most,
});

const ownTargets = oneOf(requestTargets);

/** The keys that are ours. The limits only keep out slips of the keyboard: a week, a million candidates. */
const ownKeys: Readonly<Record<string, Key>> = {
  fallback: oneOf(["none", "wasm"]),
  seconds: count(604_800),
  sync: { wanted: "nothing, 1 or 0", holds: (value) => value === "" || value === "1" || value === "0" },
  threads: count(mostThreads),
  trials: count(1_000_000),
  tune: { ...ownTargets, holds: (value) => ownTargets.holds(value) || targetNamed(value) !== undefined },
};
const ownKeyNames = Object.keys(ownKeys).sort();

/** Says whether Vite added this part to the id of a module: `?import`, `&t=<milliseconds>`, `?v=<hash>`. */
const isNoise = (key: string, value: string): boolean =>
  (key === "import" && value === "") ||
  (key === "t" && /^\d{13}$/.test(value)) ||
  (key === "v" && /^[0-9a-f]{8}$/.test(value));

/** Whether an import or a module id is one of ours: it has a query with the key `tune`. */
export const requestPattern: RegExp = /\?(?:[^#]*&)?tune(?:=|&|$)/;

function checkPair(specifier: string, key: string, value: string): void {
  if (!/^[A-Za-z0-9_-]+$/.test(key) || !/^[A-Za-z0-9_-]*$/.test(value)) {
    const pair = value === "" ? key : `${key}=${value}`;
    throw refuse("request.bad-character", `"${pair}" in "${specifier}"`, "keys and values are made of A-Z a-z 0-9 _ -");
  }
  const own = Object.hasOwn(ownKeys, key) ? ownKeys[key] : undefined;
  if (own && !own.holds(value)) {
    throw refuse("request.bad-value", `${key} is "${value}" in "${specifier}"`, `${key} may be ${own.wanted}`);
  }
  if (!own && value === "") {
    const hint = `write ${key}=<value> for a parameter of the operator; the other keys are ${ownKeyNames.join(", ")}`;
    throw refuse("request.no-value", `${key} has no value in "${specifier}"`, hint);
  }
}

function readPairs(specifier: string, query: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const part of query.split("&").filter((text) => text !== "")) {
    const [key = "", ...rest] = part.split("=");
    const value = rest.join("=");
    // A number is printed without zeros before it, and may be what Vite adds then.
    if ([value, String(parameterValue(value))].some((text) => isNoise(key, text))) continue;
    checkPair(specifier, key, value);
    if (pairs.has(key)) throw refuse("request.twice", `${key} is given twice in "${specifier}"`, "keep one of the two");
    pairs.set(key, value);
  }
  return pairs;
}

const parameterValue = (value: string): number | string => (/^-?\d{1,15}$/.test(value) ? Number(value) : value);
const optionalCount = (value: string | undefined): number | null => (value === undefined ? null : Number(value));

function settingsOf(pairs: ReadonlyMap<string, string>): KernelSettings {
  const sync = pairs.get("sync");
  const parameters = [...pairs].filter(([key]) => !Object.hasOwn(ownKeys, key)).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    target: pairs.get("tune") as RequestTarget,
    fallback: pairs.get("fallback") === "none" ? "none" : "wasm",
    threads: Number(pairs.get("threads") ?? 1),
    trials: optionalCount(pairs.get("trials")),
    seconds: optionalCount(pairs.get("seconds")),
    sync: sync === undefined ? null : sync !== "0",
    parameters: Object.fromEntries(parameters.map(([key, value]) => [key, parameterValue(value)])),
  };
}

/** Writes the query of a kernel in one spelling, for any order of its keys, with or without defaults. */
function printQuery(settings: KernelSettings): string {
  const pairs: [string, string | number][] = [["tune", settings.target], ...Object.entries(settings.parameters)];
  if (settings.fallback === "none") pairs.push(["fallback", "none"]);
  if (settings.threads !== 1) pairs.push(["threads", settings.threads]);
  if (settings.trials !== null) pairs.push(["trials", settings.trials]);
  if (settings.seconds !== null) pairs.push(["seconds", settings.seconds]);
  if (settings.sync !== null) pairs.push(["sync", settings.sync ? 1 : 0]);
  const sorted = pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  return `?${sorted.map(([key, value]) => `${key}=${value}`).join("&")}`;
}

/**
 * Reads an import or a module id; null if it is not one of ours. Which other keys are parameters only the operator
 * knows: see `checkParameters`.
 *
 * @throws DiagnosticError `request.bad-character`, `request.bad-value`, `request.no-value`, `request.twice`.
 *
 * @example parseRequest("./gemm.op.ts?tune=wasm&M=64")?.query === "?M=64&tune=wasm"
 */
export function parseRequest(specifier: string): ParsedRequest | null {
  if (!requestPattern.test(specifier)) return null;
  const at = specifier.indexOf("?");
  const settings = settingsOf(readPairs(specifier, specifier.slice(at + 1)));
  return { path: specifier.slice(0, at), settings, query: printQuery(settings) };
}

function checkParameter(file: string, name: string, value: number | string, preset: number | string): void {
  if (typeof preset === "number" && !(typeof value === "number" && Number.isInteger(value))) {
    throw refuse("request.bad-value", `parameter ${name} of ${file} is "${value}"`, `${name} may be a whole number`);
  }
  if (typeof preset === "string" && !dtypes.some((dtype) => dtype === value)) {
    throw refuse(
      "request.bad-value",
      `parameter ${name} of ${file} is "${value}"`,
      `${name} may be ${dtypes.join(", ")}`,
    );
  }
}

/**
 * The operator's parameters with the import's values in place of its defaults.
 *
 * @throws DiagnosticError `request.unknown-key` (lists what the operator has), `request.bad-value`.
 */
export function checkParameters(file: string, defaults: Parameters, given: Parameters): Parameters {
  for (const [name, value] of Object.entries(given)) {
    const preset = Object.hasOwn(defaults, name) ? defaults[name] : undefined;
    if (preset === undefined) {
      const known = Object.keys(defaults).sort().join(", ") || "none";
      const hint = `its parameters are ${known}; the other keys are ${ownKeyNames.join(", ")}`;
      throw refuse("request.unknown-key", `${file} has no parameter ${name}`, hint);
    }
    checkParameter(file, name, value, preset);
  }
  return { ...defaults, ...given };
}
