// The shared store of a build, and the files of its entries for one kernel.

import type { ResolvedRemote } from "../../options/remote-options.ts";
import { remoteAnswers } from "../../remote/remote-answers.ts";
import { type RemoteEntry, remoteFiles } from "../../remote/remote-files.ts";
import { openRemote, type RemoteStore } from "../../remote/remote-store.ts";
import type { KernelContext } from "../context/kernel-context.ts";

/** Shared store of all kernels of a build: one that has failed often enough is left alone. */
export function remoteStoreOf(
  { services: { tunings, signal } }: Pick<KernelContext, "services">,
  remote: ResolvedRemote,
): RemoteStore {
  tunings.remote ??= openRemote(remote, { signal });
  return tunings.remote;
}

/** Returns the files of the shared store's entry of a key: a decision, and perhaps a signed addon. Null: it has none. */
export async function remoteFilesOf(
  { services }: KernelContext,
  key: string,
  remote: ResolvedRemote,
): Promise<RemoteEntry | null> {
  const store = remoteStoreOf({ services }, remote);
  return remoteFiles(store, await store.get(key));
}

/** Yields the files of each entry that the shared store has for the kernel: of its key, then of its class of machines. */
export async function* remoteEntriesOf(
  { key, classKey, services }: KernelContext,
  remote: ResolvedRemote,
): AsyncGenerator<RemoteEntry, void, undefined> {
  const store = remoteStoreOf({ services }, remote);
  for await (const answer of remoteAnswers(store, key, classKey)) {
    const entry = await remoteFiles(store, answer);
    if (entry) yield entry;
  }
}
