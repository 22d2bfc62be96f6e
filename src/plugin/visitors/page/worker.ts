// The page's worker runs candidates, so that one which does not come back costs the worker and not the page.

import type { Job } from "../messages.ts";
import { type Done, runJob } from "./run-job.ts";

/** Words of an engine as one plain line, which the command takes. */
const plain = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/[^\x20-\x7e]/g, "?").slice(0, 1000);

interface Start {
  readonly software: boolean;
}

globalThis.addEventListener("message", async ({ data }: MessageEvent<Job | Start>) => {
  if ("software" in data) {
    // Adapters that compute on the CPU are measured, too: what comes of it is kept for their class alone.
    Object.assign(globalThis, { UNPLUGIN_KERNEL_WEBGPU_SOFTWARE: data.software ? "1" : "0" });
    return;
  }
  let done: Done;
  try {
    done = await runJob(data);
  } catch (error) {
    done = { ran: { failed: plain(error) }, outputs: [] };
  }
  globalThis.postMessage(done);
});
