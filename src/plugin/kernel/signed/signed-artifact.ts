// Signed binaries of a kernel: made of what this build has in its store, and taken from the files of an answer where a signer that
// option `trust` lists vouches for them, and they compute what the reference does.

import { needsToolchain } from "../../../compiler/index.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import { scheduleKey } from "../../../tuner/data/key.ts";
import type { Measured } from "../../../tuner/store/store-entry.ts";
import type { SigningKey } from "../../../tuner/trust/keys.ts";
import {
  addonPath,
  checkFiles,
  decisionDigest,
  type Files,
  signFiles,
  type WantedKernel,
} from "../../../tuner/trust/signed-files.ts";
import { policyOf } from "../../trust/policy-of.ts";
import type { BuiltBlobs } from "../built-kernel.ts";
import { addonProblem } from "../check/check-addon.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { keyFields } from "../schedule.ts";
import { factsOf, generated } from "../source/schedule-source.ts";
import { storedAddon } from "../stored/stored-addon.ts";

export type SignedArtifact =
  | { readonly kind: "taken"; readonly built: BuiltBlobs; readonly signer: string }
  | { readonly kind: "refused"; readonly why: string };

const wantedKernel = ({ platform }: KernelContext, schedule: Decision): WantedKernel => ({
  scheduleKey: scheduleKey(keyFields(schedule.task)),
  decision: decisionDigest(schedule),
  platform,
  features: schedule.task.target.features,
});

/** Takes the addon of an answer, or says why not. Its facts are computed here. */
export async function signedArtifact(
  context: KernelContext,
  schedule: Decision,
  files: Files,
): Promise<SignedArtifact> {
  const checked = await checkFiles(files, wantedKernel(context, schedule), policyOf(context.services.options.trust));
  if (checked.kind === "refused") return checked;
  if (context.whyNotHere !== null) return { kind: "refused", why: context.whyNotHere };
  const kernel = generated(schedule);
  if (!kernel) return { kind: "refused", why: "the decision does not lead to its source" };
  const problem = await addonProblem(context, schedule, kernel, checked.addon);
  if (problem !== null) return { kind: "refused", why: `${checked.signer} signed it, but ${problem}` };
  const built = { blobs: { addon: new Uint8Array(checked.addon) }, facts: factsOf(schedule, kernel) };
  return { kind: "taken", built, signer: checked.signer };
}

export interface Signing {
  readonly key: SigningKey;
  /** Name of the machine or job that built it. */
  readonly builder: string;
  /** When it is signed, in ISO 8601. */
  readonly time: string;
}

/**
 * Returns the files that others may take: an addon with its signed statement, and what else belongs to the answer.
 *
 * @param toolchain identity of the compiler that built the addon
 */
export const signedFiles = (
  context: KernelContext,
  schedule: Decision,
  built: { readonly addon: Uint8Array; readonly toolchain: string; readonly beside?: Files },
  { key, builder, time }: Signing,
): Promise<Files> =>
  signFiles(
    { ...wantedKernel(context, schedule), toolchain: built.toolchain, builder, time },
    new Map([...(built.beside ?? []), [addonPath, built.addon]]),
    key,
  );

/**
 * Returns the signed files of an addon that the store has, for `cache push --sign`; null: it has none, as of a kernel for WASM.
 *
 * @param beside files of the same answer, which the statement covers, too: the decision
 */
export async function signedFilesOfStore(
  context: KernelContext,
  schedule: Decision,
  measured: Measured,
  beside: Files,
  signing: Signing,
): Promise<Files | null> {
  const { toolchain } = measured;
  const stored = needsToolchain(schedule.task.target) ? await storedAddon(context, schedule, toolchain) : null;
  const addon = stored?.blobs.addon;
  return addon ? signedFiles(context, schedule, { addon, toolchain, beside }, signing) : null;
}
