// The WASM modules that come with a schedule, run once against the reference: they were no candidates of a search.

import { refuse } from "../../../compiler/index.ts";
import { generateSpace } from "../../../tuner/space/generate.ts";
import { boundsOf } from "../../../tuner/workbench/measurable.ts";
import { tooSlow } from "../../../tuner/workbench/too-slow.ts";
import { measureAll, type Workbench } from "../../../tuner/workbench/workbench.ts";
import { type WasmPair, withoutTwin } from "../built-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { checkModules } from "./check-built.ts";

/**
 * A browser that visits runs its candidates, and nothing else: it need not have relaxed SIMD. Modules beside them are run here.
 *
 * @param pair null: there are none
 * @returns why one of them is not checked; null: all are right
 * @throws DiagnosticError `twin.wrong`; `verify.wrong` where a browser measures
 */
export async function checkTwins(
  workbench: Workbench,
  context: KernelContext,
  pair: WasmPair | null,
): Promise<string | null> {
  if (!pair) return null;
  if (context.browser) {
    await checkModules(context, pair);
    return null;
  }
  const { task, candidate } = pair.schedule;
  const bounds = boundsOf(task, generateSpace(task), candidate);
  const { wasm, relaxed, prepare } = pair;
  const modules = [wasm, relaxed].filter((module) => module !== null).map((it) => ({ ...it, prepare, bounds }));
  let unchecked: string | null = null;
  for (const [at, outcome] of (await measureAll(workbench, modules)).entries()) {
    const { relaxed } = modules[at]!;
    if (outcome.kind === "ok") continue;
    const name = `its ${relaxed ? "relaxed " : ""}WASM twin`;
    const twin = `${context.lockName}: ${name}`;
    // A slow one may be right, and may be wrong.
    if (outcome.kind === "timed-out") {
      unchecked = `${name}: ${tooSlow(outcome.deadlineMs)}`;
      continue;
    }
    const hint = relaxed ? 'numerics: "strict" leaves it out' : withoutTwin;
    if (outcome.kind === "ill-conditioned")
      throw refuse("twin.wrong", `${twin} cannot be checked (${outcome.reason})`, 'numerics: "strict" can be');
    const bug = "that is a bug of unplugin-kernel: please report it";
    throw refuse("twin.wrong", `${twin} is wrong (${outcome.reason}); ${bug}`, hint);
  }
  return unchecked;
}
