// A schedule for a native target → its addon: the one that was measured, if the store has it; else one built here.

import { readFile } from "node:fs/promises";
import {
  type CSource,
  type GeneratedKernel,
  isCSource,
  kernelName,
  refuse,
  splitParameters,
} from "../../../compiler/index.ts";
import { brokenAddon, isNoexec, unusableTemp } from "../../../native/machine/unusable.ts";
import type { Toolchain } from "../../../native/toolchain/toolchain.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import { scheduleKey } from "../../../tuner/data/key.ts";
import { hasSigners } from "../../options/trust-option.ts";
import type { BuiltBlobs } from "../built-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { KernelDecision } from "../decision.ts";
import { keyFields } from "../schedule.ts";
import { addonFile } from "../stored/addon-file.ts";
import { keepBlobs } from "../stored/artifact-store.ts";
import { addonKey, storedAddon } from "../stored/stored-addon.ts";
import type { TwinResult } from "./twin-result.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export async function nativeKernel(context: KernelContext, decision: KernelDecision): Promise<TwinResult> {
  if (decision.built) return built(context, decision, decision.built, 0);
  const measured = decision.measured && (await storedAddon(context, decision, decision.measured.toolchain));
  if (measured) return built(context, decision, measured, 0);
  const toolchain = await context.toolchain();
  if (!toolchain) return (await signedAddon(context, decision)) ?? { kind: "no-compiler" };
  const stored = await storedAddon(context, decision, toolchain.identity);
  if (stored) return built(context, decision, stored, 0);
  const { factsOf, generated } = await import("../source/schedule-source.ts");
  const kernel = generated(decision);
  if (!kernel || !isCSource(kernel.source)) return { kind: "stale" };
  const addon = await compile(context, decision, kernel, toolchain);
  const fresh = { blobs: { addon }, facts: factsOf(decision, kernel) };
  await keepBlobs(context, addonKey(context, decision, toolchain.identity), fresh);
  return built(context, decision, fresh, 1);
}

/**
 * Takes an addon that was built elsewhere, under the statement of a signer whom option `trust` lists; null: there is none. It does not go
 * into the store: a key that is revoked counts no more in the next build.
 */
async function signedAddon(context: KernelContext, decision: KernelDecision): Promise<TwinResult | null> {
  const { services, request, lockName } = context;
  const { remote, trust } = services.options;
  // In mode tune it has been asked already for what the lock does not decide.
  const mayTake = request.mode === "frozen" || (request.mode === "tune" && decision.origin !== "predicted");
  if (!mayTake || !remote || !hasSigners(trust)) return null;
  const { remoteFilesOf } = await import("../signed/remote-entries.ts");
  const entry = await remoteFilesOf(context, scheduleKey(keyFields(decision.task)), remote);
  if (!entry) return null;
  const { signedArtifact } = await import("../signed/signed-artifact.ts");
  const artifact = await signedArtifact(context, decision, entry.files);
  if (artifact.kind === "taken") {
    services.log.info(`${lockName}: its addon was built elsewhere, signed by ${artifact.signer}`);
    return built(context, decision, artifact.built, 0);
  }
  services.log.warn(`${lockName}: an addon from elsewhere is not taken: ${artifact.why}`);
  return null;
}

/** C text of the kernel itself, then of what prepares constants for it. */
const kernelsOf = ({ source, prepare }: GeneratedKernel): readonly CSource[] =>
  [source, prepare].filter((it) => it !== null && isCSource(it));

/**
 * Compiles an addon, and runs it once in a process of its own before anything keeps or ships it.
 *
 * @throws DiagnosticError `build.failed`, `compiler.broken`, `verify.wrong`
 */
async function compile(
  context: KernelContext,
  schedule: Decision,
  kernel: GeneratedKernel,
  toolchain: Toolchain,
): Promise<Bytes> {
  const { lockName, services } = context;
  const { buildNative } = await import("../../../native/addon/build.ts");
  const { withPrivateDirectory } = await import("../../../native/file/private-directory.ts");
  const { checkAddon } = await import("../check/check-built.ts");
  return withPrivateDirectory(async (outDir) => {
    const artifact = await buildNative(kernelsOf(kernel), { outDir, toolchain, signal: services.signal });
    if (artifact.kind !== "native") {
      const why = `${lockName}: ${toolchain.identity} refused the kernel: ${artifact.reason}`;
      throw refuse("build.failed", why, "name another compiler: UNPLUGIN_KERNEL_COMPILER");
    }
    // Read before it is run, so that what is kept is what was checked.
    const bytes = new Uint8Array(await readFile(artifact.path));
    const problem = await checkAddon(context, schedule, kernel, artifact.path);
    if (problem !== null && !isNoexec(problem)) throw brokenAddon(toolchain.identity, problem);
    // A tuning has said so: it could not measure there.
    if (problem !== null && context.request.mode === "frozen")
      services.log.warn(`${lockName}: its addon was not checked: ${unusableTemp(problem).message}`);
    return bytes;
  });
}

async function built(
  context: KernelContext,
  { task }: Decision,
  { blobs, facts }: BuiltBlobs,
  compilerRuns: number,
): Promise<TwinResult> {
  const { services, platform } = context;
  const { features } = task.target;
  const bytes = blobs.addon!;
  const path = await addonFile(services, kernelName(task.op, task.target), bytes);
  const split = facts.preparation && splitParameters(task.op, facts.preparation);
  const twin = { kind: "native", bytes, path, index: 0, features, platform, split } as const;
  return { kind: "built", twin, facts, compilerRuns };
}
