// An addon that was built elsewhere, loaded in a child process and run against the reference, before a build takes it.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GeneratedKernel } from "../../../compiler/index.ts";
import { withPrivateDirectory } from "../../../native/file/private-directory.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { Schedule } from "../schedule.ts";
import { addonOutcome } from "./check-built.ts";

/** Says why the addon is not taken; null: it computes what the reference does. One that is too slow to be checked is not taken. */
export async function addonProblem(
  context: KernelContext,
  schedule: Schedule,
  kernel: GeneratedKernel,
  addon: Uint8Array,
): Promise<string | null> {
  return withPrivateDirectory(async (directory) => {
    const path = join(directory, "signed.node");
    await writeFile(path, addon, { mode: 0o600 });
    const outcome = await addonOutcome(context, schedule, kernel, path);
    if (outcome?.kind === "ok") return null;
    return outcome && outcome.kind !== "timed-out" ? outcome.reason : "it runs too long to be checked";
  });
}
