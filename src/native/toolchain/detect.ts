// The C compilers of this machine: gcc and clang on the PATH, zig among the packages of the project.

import { isAbsolute } from "node:path";
import { type DiagnosticError, needsToolchain, refuse, sha256, type Target } from "../../compiler/index.ts";
import { buildersFor, compilers, noCompiler } from "./compilers.ts";
import { platformFor, platformHere } from "./platform.ts";
import { runInGroup } from "./run-in-group.ts";
import { toolDigest } from "./tool-digest.ts";
import {
  type CompilerFacts,
  type CompilerFamily,
  compilerFamilies,
  type SearchPlaces,
  type Toolchain,
} from "./toolchain.ts";

/** Environment variable that names the one family to use. */
export const compilerVariable = "UNPLUGIN_KERNEL_COMPILER";

/**
 * Returns the families that are looked for, the preferred first: all, or the one that the environment names.
 *
 * @throws DiagnosticError `options.bad-value`
 */
export function wantedFamilies(named: string | undefined = process.env[compilerVariable]): readonly CompilerFamily[] {
  if (!named) return compilerFamilies;
  const families = compilerFamilies.filter((family) => family === named);
  if (families.length > 0) return families;
  const message = `${compilerVariable} is ${JSON.stringify(named)}`;
  const hint = `wanted: one of ${compilerFamilies.join(", ")}`;
  throw refuse("options.bad-value", message, hint);
}

/**
 * Returns the preferred compiler of a target, for the target's family of processors; null: it needs none, or there is none.
 *
 * @param places default: as `detectToolchains` looks
 */
export const toolchainFor = async (target: Target, places: Partial<SearchPlaces> = {}): Promise<Toolchain | null> =>
  needsToolchain(target) ? ((await detectToolchains({ platform: platformFor(target), ...places }))[0] ?? null) : null;

/** Error that a target's compiler is not here. */
export function withoutCompiler(target: Target): DiagnosticError {
  const { message, hint } = noCompiler(wantedFamilies(), platformFor(target));
  return refuse("target.no-compiler", message, hint);
}

/** Milliseconds in which a compiler has to say what it is. */
const answerMs = 10_000;

/**
 * Finds the compilers that work here, the preferred first; empty if there is none. By default this process's PATH and working
 * directory are searched, and addons are for this machine.
 *
 * @throws DiagnosticError `options.bad-value`, as `wantedFamilies`
 */
export async function detectToolchains(
  { path = process.env.PATH ?? "", project = process.cwd(), platform = platformHere }: Partial<SearchPlaces> = {},
  families: readonly CompilerFamily[] = wantedFamilies(),
  timeoutMs: number = answerMs,
): Promise<readonly Toolchain[]> {
  const places = { path, project, platform };
  const found = await Promise.all(buildersFor(platform, families).map((family) => detect(family, places, timeoutMs)));
  return found.filter((toolchain) => toolchain !== null);
}

async function detect(family: CompilerFamily, places: SearchPlaces, timeoutMs: number): Promise<Toolchain | null> {
  const facts = compilers[family];
  const place = facts.locate(places);
  if (!place) return null;
  const [about, machine, programs] = await Promise.all([
    firstLineOf(place.path, facts.aboutOption, timeoutMs),
    facts.machine(places.platform) ?? firstLineOf(place.path, "-dumpmachine", timeoutMs),
    programsOf(place.path, facts, timeoutMs),
  ]);
  const version = about && facts.parseVersion(about);
  if (!about || !machine || !version) return null;
  const bytes = await toolDigest(programs);
  // A compiler that runs and cannot be read is known by its words alone.
  const digest = sha256(bytes === null ? about : `${about}\n${bytes}`).slice(0, 8);
  const identity = `${family} ${version} ${machine} ${digest}`;
  return { ...place, family, version, identity, platform: places.platform };
}

/** Paths of the programs that make the code: the one that is called, and the compiler proper where that is another. */
async function programsOf(path: string, { properName }: CompilerFacts, timeoutMs: number): Promise<readonly string[]> {
  const proper = properName && (await firstLineOf(path, `-print-prog-name=${properName}`, timeoutMs));
  return proper && isAbsolute(proper) ? [path, proper] : [path];
}

/** Returns the first line that a command prints. Null if it does not run: a broken installation is no compiler. */
async function firstLineOf(path: string, option: string, timeoutMs: number): Promise<string | null> {
  const result = await runInGroup(path, [option], { timeoutMs, env: { ...process.env, LC_ALL: "C" } });
  return result.kind === "done" ? (result.stdout.split("\n")[0] ?? null) : null;
}
