// The answers of a remote store for a kernel, in the order in which a build asks: the entry of its key, then that of its class of machines. The
// second is asked for only where the first is not taken.

import type { EntryFiles } from "./action-result.ts";
import type { RemoteAnswer, RemoteStore } from "./remote-store.ts";

const isSame = (one: EntryFiles, other: EntryFiles): boolean =>
  one.size === other.size && [...one].every(([path, { hash }]) => other.get(path)?.hash === hash);

/**
 * Yields the answers, until the caller takes one. A server that fails is not asked again. The first machine of a class writes one entry
 * under both keys: it is not looked at twice.
 */
export async function* remoteAnswers(
  store: Pick<RemoteStore, "get" | "getOfClass">,
  key: string,
  classKey: string,
): AsyncGenerator<RemoteAnswer, void, undefined> {
  const exact = await store.get(key);
  if (exact.kind !== "missing" || exact.note !== null) yield exact;
  if (exact.kind === "failed" || exact.kind === "denied" || exact.kind === "off") return;
  const ofClass = await store.getOfClass(classKey);
  if (exact.kind === "found" && ofClass.kind === "found" && isSame(exact.files, ofClass.files)) return;
  // A page for people in place of each answer is said once.
  if (exact.kind === "wrong" && ofClass.kind === "wrong" && exact.why === ofClass.why) return;
  yield ofClass;
}
