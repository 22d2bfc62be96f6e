// A visit of the dev server's own page: what it asks comes by a pipe, and what its browser measures goes into the lock for the class of its GPU.

import { withPrivateDirectory } from "../../native/file/private-directory.ts";
import { afterMs } from "../../native/machine/clock.ts";
import { pageListener } from "../../native/network/page-listener.ts";
import { listenOnPipe, pipeIn } from "../../native/network/pipe.ts";
import type { CompileServices } from "../kernel/compile-services.ts";
import { kernelContext } from "../kernel/context/kernel-context.ts";
import type { KernelRequest } from "../kernel/kernel-request.ts";
import { type TunedRow, targetOfGpu, tuneVisit, type VisitedKernel } from "../visitors/tune-visit.ts";
import { createVisitSite } from "../visitors/visit-site.ts";
import type { VisitOrder } from "./protocol.ts";

/** Until a page that has loaded nothing counts as one that will not come: its own policy may forbid frames. */
const patienceMs = 60_000;

const visitedKernel = (request: KernelRequest, place: number, services: CompileServices): VisitedKernel => ({
  kernel: String(place),
  target: request.target,
  contextFor: (target, browser) => kernelContext({ ...request, target }, { ...services, browser }),
});

/** Returns the places of the requests that have a new decision. @param onListening called with the pipe */
export const awaitVisit = (
  { requests, access }: Pick<VisitOrder, "requests" | "access">,
  services: CompileServices,
  onListening: (pipe: string) => void,
): Promise<readonly number[]> =>
  withPrivateDirectory(async (folder) => {
    const kernels = requests.map((request, place) => visitedKernel(request, place, services));
    const pipe = pipeIn(folder);
    let comes = (): void => undefined;
    const visited = new Promise<readonly TunedRow[]>((resolve, reject) => {
      services.signal.addEventListener("abort", () => reject(services.signal.reason), { once: true });
      comes = afterMs(patienceMs, () => resolve([]));
      const site = createVisitSite((facts, machine, shelf) => {
        comes();
        const targetsFor = (target: string): readonly string[] => [targetOfGpu(target, facts) ?? []].flat();
        tuneVisit({ machine, shelf }, kernels, targetsFor).then(resolve, reject);
      });
      listenOnPipe(pipe, pageListener(site, { ...access, isFramed: true })).then((server) => {
        void visited.finally(server.close).catch(() => undefined);
        onListening(pipe);
      }, reject);
    });
    const rows = await visited.finally(comes);
    for (const { kernel, target, error } of rows) {
      if (error !== null) services.log.debug(`${requests[Number(kernel)]!.opFile}: ${target} is not tuned: ${error}`);
    }
    return rows.flatMap(({ kernel, origin }) => (origin === "tuned" ? [Number(kernel)] : []));
  });
