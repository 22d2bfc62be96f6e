// The files of a remote store's entry, for a build that looks for a signed addon. Digests are compared; who vouches for the files is
// asked by `trust/signed-artifact.ts`.

import type { SharedDecision } from "../../tuner/store/exchange.ts";
import type { RemoteAnswer, RemoteStore } from "./remote-store.ts";

/** Most bytes of a file: addons have some ten thousand. */
const mostFileBytes = 16 * 2 ** 20;

/** An entry as a whole: what it has decided, and its files by their paths, the decision's own among them. */
export interface RemoteEntry {
  readonly decision: SharedDecision;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Returns the files of an entry; null: there is no such entry, or a part of it cannot be had. */
export async function remoteFiles(store: Pick<RemoteStore, "blob">, answer: RemoteAnswer): Promise<RemoteEntry | null> {
  if (answer.kind !== "found") return null;
  const files = new Map<string, Uint8Array>();
  for (const [path, digest] of answer.files) {
    const file = await store.blob(digest, mostFileBytes);
    if (file.kind !== "ok") return null;
    files.set(path, file.bytes);
  }
  return { decision: answer.decision, files };
}
