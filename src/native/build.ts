// C kernels → one Node-API addon, compiled in a private directory that is gone afterwards. The same kernels, options
// and compiler give the same bytes, whatever the directory.

import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { execa } from "execa";
import { type CSource, invariant, sha256 } from "../compiler/index.ts";
import type { NativeArtifact } from "./artifact.ts";
import { nodeApiInclude, packageFile } from "./native-file.ts";
import { compilers } from "./toolchain/detect.ts";
import { codeFlags, linkFlags, type Toolchain } from "./toolchain/toolchain.ts";
import { translationUnit } from "./translation-unit.ts";

export interface BuildOptions {
  /** Where the `.node` file goes; made if need be. */
  readonly outDir: string;
  readonly toolchain: Toolchain;
  /** Whether the addon has the timing loop. */
  readonly bench?: boolean;
  /** Aborting kills the compiler and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** After this long the compiler is killed and the build has failed; a minute unless said. */
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
 * @example
 * const [toolchain] = await detectToolchains();
 * const artifact = await buildNative([generateC(flat, avx2, { numerics: "fast" })], { outDir, toolchain });
 */
export async function buildNative(
  sources: readonly CSource[],
  options: BuildOptions,
): Promise<NativeArtifact | BuildFailure> {
  checkAlike(sources);
  options.signal?.throwIfAborted();
  const outDir = resolve(options.outDir);
  await mkdir(outDir, { recursive: true });
  const folder = await mkdtemp(join(outDir, ".build-"));
  try {
    await writeInputs(folder, sources);
    const failure = await compile(folder, sources[0]!, options);
    return failure ?? { kind: "native", path: await publish(folder, outDir, sources[0]!.name), kernels: sources };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** As `buildNative`; if the batch fails, each kernel is built on its own, so that one bad text costs only itself. */
export async function buildEach(sources: readonly CSource[], options: BuildOptions): Promise<readonly BuiltKernel[]> {
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

async function writeInputs(folder: string, sources: readonly CSource[]): Promise<void> {
  await writeFile(join(folder, "kernels.c"), translationUnit(sources));
  await copyFile(packageFile("src/native/load/addon.c"), join(folder, "addon.c"));
  await copyFile(packageFile("src/native/harness/bench.c"), join(folder, "bench.c"));
}

/** The whole command line but for the compiler's path and Node's headers. */
export function compileFlags(source: CSource, { toolchain, bench }: BuildOptions): readonly string[] {
  return [
    ...codeFlags(source.numerics),
    ...source.features.map((feature) => `-m${feature}`),
    ...compilers[toolchain.family].vectorFlags(source.features),
    ...(bench ? ["-DKERNEL_BENCH"] : []),
    ...linkFlags(process.platform),
  ];
}

/** Null if all went well. The compiler sees relative names, its own directory and no environment of ours. */
async function compile(folder: string, source: CSource, options: BuildOptions): Promise<BuildFailure | null> {
  const { toolchain, signal, timeoutMs = 60_000 } = options;
  const files = ["-I", nodeApiInclude(), "kernels.c", "-o", "kernels.node"];
  const result = await execa(toolchain.path, [...compileFlags(source, options), ...files], {
    cwd: folder,
    env: { LC_ALL: "C", PATH: `${dirname(toolchain.path)}:/usr/bin:/bin`, TMPDIR: folder },
    extendEnv: false,
    reject: false,
    all: true,
    timeout: timeoutMs,
    forceKillAfterDelay: 500,
    ...(signal ? { cancelSignal: signal } : {}),
  });
  signal?.throwIfAborted();
  if (!result.failed) return null;
  const reason = result.timedOut ? `the compiler did not end within ${timeoutMs} ms` : firstErrors(result.all ?? "");
  return { kind: "build-failed", reason: reason || (result.shortMessage ?? "the compiler failed") };
}

/** The lines that say what is wrong, without the excerpts of code. */
const firstErrors = (output: string): string =>
  output
    .split("\n")
    .filter((line) => /error|undefined/i.test(line))
    .slice(0, 5)
    .join("\n") || output.slice(0, 500);

/** Moves the addon to its place under a name by content; an equal one that is there is replaced in one step. */
async function publish(folder: string, outDir: string, name: string): Promise<string> {
  const built = join(folder, "kernels.node");
  const path = join(outDir, `${name}-${sha256(await readFile(built)).slice(0, 16)}.node`);
  await rename(built, path);
  return path;
}
