// A kernel's decision in the packs of a project: the first pack that has one for this machine, else the first that has one for another
// machine of its class. Each is checked and measured here as any from outside.

import type { DecisionIndex } from "../../../tuner/store/decision-index.ts";
import type { SharedDecision } from "../../../tuner/store/exchange.ts";
import { locatePacks } from "../../packs/locate-packs.ts";
import { readPack } from "../../packs/read-pack.ts";
import { type OutsideFile, provenance, vouched, wordsOf } from "../../trust/outside-decision.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { checkDecision, type OutsideDecision } from "./check-decision.ts";

export interface OpenPack {
  readonly name: string;
  readonly decisions: DecisionIndex;
  /** The file that they are in, as a signer may have signed it. */
  readonly file: OutsideFile;
}

/** Packs of a build, read by the first kernel that asks; what is wrong with one is said then, once. */
function packsOf({ services: { options, tunings, log } }: KernelContext): readonly OpenPack[] {
  tunings.packs ??= locatePacks(options).flatMap(({ name, folder }): readonly OpenPack[] => {
    const content = readPack(folder);
    if (content.kind === "ok") return [{ name, decisions: content.decisions, file: content.file }];
    if (content.kind === "wrong") log.warn(`nothing is taken from pack ${name}: ${content.why}`);
    else log.info(`pack ${name} is left out: it was made for code generator ${content.codegen}`);
    return [];
  });
  return tunings.packs;
}

interface Offer {
  /** Name of the pack. */
  readonly name: string;
  readonly decision: SharedDecision;
  readonly file: OutsideFile;
}

/** Returns the decision of the first pack that has one, with its measurement here; null: there is none that could be taken. */
export async function packDecision(context: KernelContext): Promise<OutsideDecision | null> {
  const { key, classKey, services } = context;
  const offersBy = (find: (decisions: DecisionIndex) => SharedDecision | undefined): readonly Offer[] =>
    packsOf(context).flatMap(({ name, decisions, file }) => {
      const decision = find(decisions);
      return decision ? [{ name, decision, file }] : [];
    });
  const exact = offersBy(({ byKey }) => byKey.get(key));
  const taken = await firstTaken(context, exact);
  if (taken) return taken;
  const tried = new Set(exact.map(({ decision }) => decision));
  const ofClass = offersBy(({ byClass }) => byClass.get(classKey)).filter(({ decision }) => !tried.has(decision));
  // A pack that nobody vouches for has been refused as a whole.
  const { trust } = services.options;
  const isRefused = await Promise.all(
    ofClass.map(
      async ({ file }) => exact.some((it) => it.file === file) && (await vouched(trust, file)).kind === "refused",
    ),
  );
  return firstTaken(
    context,
    ofClass.filter((_, at) => !isRefused[at]),
  );
}

async function firstTaken(context: KernelContext, offers: readonly Offer[]): Promise<OutsideDecision | null> {
  const { lockName, services } = context;
  for (const [at, { name, decision, file }] of offers.entries()) {
    const by = await vouched(services.options.trust, file);
    const checked = by.kind === "refused" ? by : await checkDecision(context, decision);
    services.signal.throwIfAborted();
    if (checked.kind === "taken") {
      const words = wordsOf(by);
      if (words !== null) services.log.info(`${lockName}: the decision of pack ${name} is ${words}`);
      const others = offers.slice(at + 1).filter((other) => other.decision.source !== decision.source);
      const named = others.map((other) => other.name).join(", ");
      if (named !== "") services.log.info(`${lockName}: ${name} decides; another decision is in ${named}`);
      return { ...checked, from: provenance("pack", file, by) };
    }
    services.log.warn(`${lockName}: nothing is taken from pack ${name}: ${checked.why}`);
  }
  return null;
}
