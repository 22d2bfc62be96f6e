// C kernels → one Node-API addon, compiled in a private directory that is gone afterwards. The same kernels, options
// and compiler give the same bytes in every directory.

import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type CSource, invariant, sha256 } from "../../compiler/index.ts";
import { packageFile } from "../machine/package-file.ts";
import { brokenCompiler } from "../machine/unusable.ts";
import { outlivingWorkStopped } from "../process/outliving-work.ts";
import { compilers } from "../toolchain/compilers.ts";
import { runCompiler } from "../toolchain/run-compiler.ts";
import { codeFlags, type Toolchain } from "../toolchain/toolchain.ts";
import { addonParts } from "./addon-object.ts";
import type { NativeArtifact } from "./artifact.ts";
import { translationUnit } from "./translation-unit.ts";

export interface AddonOptions {
  /** Folder of the `.node` file; made if need be. */
  readonly outDir: string;
  readonly toolchain: Toolchain;
  /** Whether the addon has the timing loop. */
  readonly bench?: boolean;
  /** Aborting kills the compiler and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the compiler is killed and the build has failed; default: 60,000. */
  readonly timeoutMs?: number;
}

export interface BuildFailure {
  readonly kind: "build-failed";
  readonly reason: string;
}

/** A kernel and where it is, or why it could not be built. */
export type BuiltKernel =
  | { readonly kind: "built"; readonly artifact: NativeArtifact; readonly index: number }
  | BuildFailure;

/**
 * Builds kernels of one target and one `numerics` into an addon named by its content.
 *
 * @throws DiagnosticError `compiler.broken`, `temp.unusable`
 * @example
 * const [toolchain] = await detectToolchains();
 * const artifact = await buildNative([generateC(flat, avx2, { numerics: "fast" })], { outDir, toolchain });
 */
export async function buildNative(
  sources: readonly CSource[],
  options: AddonOptions,
): Promise<NativeArtifact | BuildFailure> {
  checkAlike(sources);
  options.signal?.throwIfAborted();
  const outDir = resolve(options.outDir);
  await mkdir(outDir, { recursive: true });
  const folder = await mkdtemp(join(outDir, ".build-"));
  try {
    const reason = await compile(folder, sources, options);
    if (reason !== null) return { kind: "build-failed", reason };
    return { kind: "native", path: await publish(folder, outDir, sources[0]!.name), kernels: sources };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Builds as `buildNative` does; if the batch fails, each kernel is built on its own, so that one bad text costs only
 * itself.
 */
export async function buildEach(sources: readonly CSource[], options: AddonOptions): Promise<readonly BuiltKernel[]> {
  const batch = await buildNative(sources, options);
  if (batch.kind === "native") return sources.map((_, index) => ({ kind: "built", artifact: batch, index }));
  if (sources.length === 1) return [batch];
  const built: BuiltKernel[] = [];
  for (const source of sources) built.push(...(await buildEach([source], options)));
  return built;
}

function checkAlike(sources: readonly CSource[]): void {
  const [first] = sources;
  invariant(first, "there is nothing to build");
  const same = ({ features, numerics }: CSource): boolean =>
    numerics === first.numerics && features.join() === first.features.join();
  invariant(sources.every(same), "kernels of one addon have the same features and numerics");
}

/** The compiler's flags, from which, with the text, the addon's bytes follow. */
export function compileFlags(source: CSource, toolchain: Toolchain): readonly string[] {
  const { ownFlags, featureFlags, linkFlags } = compilers[toolchain.family];
  return [
    ...codeFlags(source.numerics),
    ...ownFlags(toolchain.platform),
    ...featureFlags(source.features),
    ...linkFlags(toolchain.platform),
  ];
}

/** Returns null, or why the compiler failed. */
async function compile(folder: string, sources: readonly CSource[], options: AddonOptions): Promise<string | null> {
  const { toolchain, bench = false, signal, timeoutMs = 60_000 } = options;
  // The addon is compiled once for all builds: a build that runs out of time leaves it to the next.
  const parts = await unlessAborted(addonParts(toolchain, bench, timeoutMs), signal);
  if (typeof parts === "string") return parts;
  for (const { name, bytes } of parts) await writeFile(join(folder, name), bytes);
  await writeFile(join(folder, "kernels.c"), translationUnit(sources));
  await copyFile(packageFile("src/native/load/kernel-table.h"), join(folder, "kernel-table.h"));
  // Files first: of a library the linker takes what those before it lack.
  const files = ["kernels.c", ...parts.map(({ name }) => name), "-o", "kernels.node"];
  const args = [...files, ...compileFlags(sources[0]!, toolchain)];
  const failure = await runCompiler(toolchain, args, { folder, timeoutMs, signal });
  if (failure === null && !existsSync(join(folder, "kernels.node")))
    throw brokenCompiler(toolchain.path, "kernels.node");
  return failure;
}

/**
 * Rejects with the signal's reason as soon as it is aborted; where this process is to end, once what works for all builds has cleaned up: a
 * bundler that hears of the failure may end the process first.
 */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => void outlivingWorkStopped().then(() => reject(signal.reason));
    signal.addEventListener("abort", stop, { once: true });
    const fail = (error: unknown): void => reject(signal.aborted ? signal.reason : error);
    work.then(resolve, fail).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Moves the addon to its place under a name by content. An equal one that is there stays: Windows replaces none that is loaded. */
async function publish(folder: string, outDir: string, name: string): Promise<string> {
  const built = join(folder, "kernels.node");
  const bytes = await readFile(built);
  const path = join(outDir, `${name}-${sha256(bytes).slice(0, 16)}.node`);
  const there = await readFile(path).catch(() => null);
  if (!there?.equals(bytes)) await rename(built, path);
  return path;
}
