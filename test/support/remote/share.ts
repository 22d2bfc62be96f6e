// Two builds that share a server and nothing else.

import type { RemoteOption } from "../../../src/plugin/options/types.ts";
import { digestOf, printActionResult } from "../../../src/plugin/remote/action-result.ts";
import { printExchange, type SharedDecision } from "../../../src/tuner/store/exchange.ts";
import { storedDecisions } from "../../../src/tuner/store/store-contents.ts";
import { writeApp } from "../build-app.ts";
import { type Compiled, compileIn, gemmText } from "../compile-app.ts";
import type { Double } from "./double.ts";

export interface Sharing {
  readonly remote: string | RemoteOption;
  readonly environment: Readonly<Record<string, string>>;
}

export interface FreshBuild extends Compiled {
  readonly decisions: readonly SharedDecision[];
}

/** Builds the app where there is no lock and no store yet. */
export async function buildFresh({ remote, environment }: Sharing): Promise<FreshBuild> {
  const root = writeApp({ "src/gemm.op.ts": gemmText() });
  const compiled = await compileIn(root, { options: { remote }, environment });
  return { ...compiled, decisions: await storedDecisions(`${root}/store`) };
}

/** The same server for a build that puts there what it tunes. */
export const writing = ({ remote, environment }: { remote: RemoteOption; environment: Sharing["environment"] }) => ({
  environment,
  remote: { ...remote, mode: "read-write" } as const,
});

/** Lays a decision into a server within the test, as the entry of a key. */
export function offerAt({ files }: Double, folder: string, key: string, decision: SharedDecision): void {
  const text = Buffer.from(printExchange([decision]));
  const digest = digestOf(text);
  files.set(`${folder}/cas/${digest.hash}`, text);
  files.set(`${folder}/ac/${key}`, Buffer.from(printActionResult(new Map([["decision.jsonl", digest]]))));
}
