// Measures a kernel's candidates on the machine that they were carried to, in turns: what else the machine does falls on all of them.

import { pathToFileURL } from "node:url";
import type { Runner } from "../../native/runner/client.ts";
import type { Runnable } from "../../native/runner/protocol.ts";
import type { Measurement } from "../data/measurement.ts";
import { toMeasurement } from "../measure/measure.ts";
import { summarize } from "../measure/statistics.ts";
import type { CarriedCode } from "./kernel-folder.ts";

/** Turns of a candidate, and its samples in each. */
const [turns, samples] = [3, 5];

/** Returns a runnable whose loader is that of a folder, and not of the machine where it was compiled. */
function loadedBy(loader: string, runnable: Runnable): Runnable {
  const module = pathToFileURL(loader).href;
  const { preparation } = runnable;
  const moved = { ...runnable, module };
  return preparation ? { ...moved, preparation: { ...preparation, kernel: { ...preparation.kernel, module } } } : moved;
}

/**
 * Loads, checks and times each candidate. One that fails once is not tried again.
 *
 * @param loader path of the module that loads the code
 */
export async function measureKernel(
  runner: Runner,
  { code, task }: CarriedCode,
  loader: string,
): Promise<readonly Measurement[]> {
  const candidates = code.map((runnable) => loadedBy(loader, runnable));
  const timesNs = candidates.map((): number[] => []);
  const failures = new Map<number, Measurement>();
  runner.setTask(task);
  for (let turn = 0; turn < turns; turn++) {
    const order = [...candidates.keys()];
    for (const at of turn % 2 === 0 ? order : order.reverse()) {
      if (failures.has(at)) continue;
      const outcome = await runner.run({ candidate: candidates[at]!, incumbentNs: null, samples });
      if (outcome.kind === "ok") timesNs[at]!.push(...outcome.samplesNs);
      else failures.set(at, toMeasurement(outcome));
    }
  }
  return timesNs.map((ns, at) => failures.get(at) ?? { kind: "ok", timing: summarize(ns) });
}
