// Writes the report of a build that has ended.

import { createBuildTunings } from "../build/build-tunings.ts";
import { kernelContext } from "../kernel/context/kernel-context.ts";
import type { Log } from "../log/log.ts";
import type { ResolvedOptions } from "../options/options.ts";
import { kernelRequest } from "../session/session.ts";
import type { Topic } from "../support/say-once.ts";
import { shownPath } from "../support/shown-path.ts";
import { writeIfChanged } from "../support/write-if-changed.ts";
import { collectReport, type Reported } from "./collect-report.ts";
import { reportPage } from "./report-page.ts";

/** Writes the report. One that cannot be written costs a warning, not the build. */
export async function writeReport(
  file: string,
  kernels: readonly Reported[],
  { options, log, told }: { readonly options: ResolvedOptions; readonly log: Log; readonly told: Set<Topic> },
): Promise<void> {
  const { signal } = new AbortController();
  const services = { options, log, signal, tunings: createBuildTunings({ totalSeconds: null, signal, told }) };
  try {
    const data = await collectReport(kernels, {
      options,
      measuring: options.mode === "tune" ? "if unknown" : "never",
      warn: log.warn,
      // A report never tunes a kernel, in no mode of the build.
      contextOf: (request) => kernelContext(kernelRequest(request, options, "predict"), services),
    });
    writeIfChanged(file, reportPage(data));
    log.info(`report: ${shownPath(file, options.root)}`);
  } catch (error) {
    log.warn(`no report: ${error instanceof Error ? error.message : String(error)}`);
  }
}
