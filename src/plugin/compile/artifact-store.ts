// Built kernels in the store: an artifact key leads to blobs by role: "wasm", "relaxed", "addon", and
// "trace", the schedule as text, because making the space to print it takes longer than reading all of these.

import { type Blobs, blobsAt, putBlobs } from "../../tuner/store/blobs.ts";
import type { KernelContext } from "./kernel-context.ts";

/** All blobs of the artifact; null if it or one of them is missing. */
export const storedBlobs = ({ store }: KernelContext, key: string): Promise<Blobs | null> => blobsAt(store, key);

/** Keeps a new artifact. A store that cannot be written costs a warning. */
export async function keepBlobs(
  { store, services, lockName }: KernelContext,
  key: string,
  blobs: Blobs,
): Promise<void> {
  const warning = await putBlobs(store, key, blobs);
  if (warning) services.log.warn(`${lockName}: ${warning}`);
}
