// A schedule for a native target → its addon: the one that was measured, if the store has it; else one built here.

import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CSource, type GeneratedKernel, kernelName, sha256, splitParameters } from "../../compiler/index.ts";
import { codeFlags, type Toolchain } from "../../native/toolchain/toolchain.ts";
import type { Blobs } from "../../tuner/store/blobs.ts";
import { artifactKey, scheduleKey } from "../../tuner/store/key.ts";
import type { NativeKernel } from "../compiled-kernel.ts";
import { factsBlob, factsIn, type KernelFacts, keepBlobs, storedBlobs } from "./artifact-store.ts";
import type { Decision } from "./decide-schedule.ts";
import { type KernelContext, refuse } from "./kernel-context.ts";
import { keyFields, type Schedule } from "./schedule.ts";

export type NativeResult =
  | {
      readonly kind: "built";
      readonly kernel: NativeKernel;
      readonly facts: KernelFacts;
      readonly compilerRuns: number;
    }
  | { readonly kind: "no-compiler" }
  /** The schedule does not lead to its source. */
  | { readonly kind: "stale" };

type Bytes = Uint8Array<ArrayBuffer>;

export async function nativeKernel(context: KernelContext, decision: Decision): Promise<NativeResult> {
  const measured = decision.measured && (await storedAddon(context, decision, decision.measured.toolchain));
  if (measured) return built(context, decision, measured, 0);
  const toolchain = await context.toolchain();
  if (!toolchain) return (await signedAddon(context, decision)) ?? { kind: "no-compiler" };
  const stored = await storedAddon(context, decision, toolchain.identity);
  if (stored) return built(context, decision, stored, 0);
  const { factsOf, generated } = await import("./schedule-source.ts");
  const kernel = generated(decision);
  if (kernel?.source.kind !== "c") return { kind: "stale" };
  const facts = factsBlob(factsOf(decision, kernel));
  const blobs = { addon: await compile(context, kernelsOf(kernel), toolchain), facts };
  await keepBlobs(context, addonKey(context, decision, toolchain.identity), blobs);
  return built(context, decision, blobs, 1);
}

/**
 * Takes an addon that was built elsewhere, under the statement of a signer whom option `trust` lists; null: there is none. It does not go
 * into the store: a key that is revoked counts no more in the next build.
 */
async function signedAddon(context: KernelContext, decision: Decision): Promise<NativeResult | null> {
  const { services, request, lockName } = context;
  const { keys, identities } = services.options.trust;
  const mayTake = request.mode === "tune" || request.mode === "frozen";
  if (!mayTake || !services.binariesOf || keys.length + identities.length === 0) return null;
  const files = await services.binariesOf(scheduleKey(keyFields(decision.task)));
  if (!files) return null;
  const { signedArtifact } = await import("../trust/signed-artifact.ts");
  const artifact = await signedArtifact(context, decision, files);
  if (artifact.kind === "taken") {
    services.log.info(`${lockName}: its addon was built elsewhere, signed by ${artifact.signer}`);
    return built(context, decision, artifact.blobs, 0);
  }
  services.log.warn(`${lockName}: an addon from elsewhere is not taken: ${artifact.why}`);
  return null;
}

/** Blobs of an addon that the store has; null: it has none. */
export const storedAddon = (context: KernelContext, schedule: Schedule, identity: string): Promise<Blobs | null> =>
  storedBlobs(context, addonKey(context, schedule, identity));

/** `identity`: of the compiler, "gcc 12.2.0 x86_64-linux-gnu 3f2a9c01". */
const addonKey = ({ machine }: KernelContext, { task, candidate, source }: Schedule, identity: string): string =>
  artifactKey({
    schedule: scheduleKey(keyFields(task)),
    candidate,
    source,
    toolchain: {
      name: identity.split(" ")[0]!,
      version: identity,
      triple: machine.platform,
      options: [...codeFlags(task.numerics), ...task.target.features],
    },
  });

/** C text of the kernel itself, then of what prepares constants for it. */
const kernelsOf = ({ source, prepare }: GeneratedKernel): readonly CSource[] =>
  [source, prepare].filter((it) => it?.kind === "c");

async function compile(
  { lockName, services }: KernelContext,
  sources: readonly CSource[],
  toolchain: Toolchain,
): Promise<Bytes> {
  const { buildNative } = await import("../../native/build.ts");
  const { withPrivateDirectory } = await import("../../native/private-directory.ts");
  return withPrivateDirectory(async (outDir) => {
    const artifact = await buildNative(sources, { outDir, toolchain, signal: services.signal });
    if (artifact.kind === "native") return new Uint8Array(await readFile(artifact.path));
    throw refuse("build.failed", `${lockName}: ${toolchain.identity} refused the kernel: ${artifact.reason}`, null);
  });
}

async function built(
  context: KernelContext,
  { task }: Schedule,
  blobs: Blobs,
  compilerRuns: number,
): Promise<NativeResult> {
  const bytes = blobs.addon!;
  const { features } = task.target;
  const path = await fileOf(context, `${kernelName(task.op, task.target)}-${sha256(bytes).slice(0, 16)}.node`, bytes);
  const facts = factsIn(blobs);
  const split = facts.preparation && splitParameters(task.op, facts.preparation);
  const kernel = { bytes, path, index: 0, features, platform: context.machine.platform, split };
  return { kind: "built", kernel, facts, compilerRuns };
}

/** Dev servers emit nothing: they load the addon from a file under the cache directory. Null: it cannot be written. */
async function fileOf({ services }: KernelContext, name: string, bytes: Bytes): Promise<string | null> {
  const directory = join(services.options.cacheDir, "addons");
  const path = join(directory, name);
  if (existsSync(path)) return path;
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await mkdir(directory, { recursive: true });
    // Renamed, so that a kill leaves no half of an addon under its name.
    await writeFile(temporary, bytes);
    await rename(temporary, path);
    return path;
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    services.log.warn(`${path} could not be written: ${error.message}`);
    await rm(temporary, { force: true });
    return null;
  }
}
