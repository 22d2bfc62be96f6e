// A schedule and the identity of a compiler → the addon that the store has of them.

import { ownFlagsOf } from "../../../native/toolchain/compilers.ts";
import { codeFlags } from "../../../native/toolchain/toolchain.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import { artifactKey, scheduleKey } from "../../../tuner/data/key.ts";
import type { BuiltBlobs } from "../built-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { keyFields } from "../schedule.ts";
import { storedBlobs } from "./artifact-store.ts";

/** Returns an addon that the store has; null: it has none. */
export const storedAddon = (context: KernelContext, schedule: Decision, identity: string): Promise<BuiltBlobs | null> =>
  storedBlobs(context, addonKey(context, schedule, identity));

/** `identity`: of the compiler, "gcc 12.2.0 x86_64-linux-gnu 3f2a9c01". */
export const addonKey = (
  { platform }: KernelContext,
  { task, candidate, source }: Decision,
  identity: string,
): string => {
  const name = identity.split(" ")[0]!;
  const options = [...codeFlags(task.numerics), ...ownFlagsOf(name, platform), ...task.target.features];
  return artifactKey({
    schedule: scheduleKey(keyFields(task)),
    candidate,
    source,
    toolchain: { name, version: identity, triple: platform, options },
  });
};
