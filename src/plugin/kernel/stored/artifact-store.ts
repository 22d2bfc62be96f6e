// Built kernels in the store: an artifact key leads to blobs by role: "wasm", "relaxed", "prepare", "addon", and "facts", what
// is to be known of the kernel, because making the space that says it takes longer than reading all of these.

import { dtypes, type PreparationFacts } from "../../../compiler/index.ts";
import { wallClockMs } from "../../../native/machine/clock.ts";
import { type Blobs, blobsAt, putBlobs, textBlob, textOf } from "../../../tuner/store/blobs.ts";
import { noteUse } from "../../../tuner/store/last-use.ts";
import { integer, list, nullable, number, object, oneOf, ShapeError, text } from "../../../tuner/support/strict.ts";
import { warnOnce } from "../../support/say-once.ts";
import type { BuiltBlobs, ScheduleFacts } from "../built-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { sayIfLarge } from "../context/store-warnings.ts";

const decodePreparation = object<PreparationFacts>({
  inputs: list(text(200), 100),
  results: list(object({ name: text(200), dtype: oneOf(...dtypes), shape: list(integer(1, 2 ** 40), 16) }), 100),
});

const decodeFacts = object<ScheduleFacts>({
  trace: text(1e6, /^[\s\S]*$/),
  errorBound: number(0, 1e6),
  preparation: nullable(decodePreparation),
});

/** Reads facts. Null: they are not exactly facts. */
export function factsIn(blob: Blobs[string]): ScheduleFacts | null {
  try {
    return decodeFacts(JSON.parse(textOf(blob)), []);
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The artifact; null if it or a part of it is missing. */
export async function storedBlobs({ store, services }: KernelContext, key: string): Promise<BuiltBlobs | null> {
  const blobs = await blobsAt(store, key);
  const facts = blobs?.facts && factsIn(blobs.facts);
  if (!blobs || !facts) return null;
  noteUse(services.options.cacheDir, key, wallClockMs());
  return { blobs, facts };
}

/** Keeps a new artifact. A store that cannot be written costs a warning. */
export async function keepBlobs(
  { store, services }: KernelContext,
  key: string,
  { blobs, facts }: BuiltBlobs,
): Promise<void> {
  const warning = await putBlobs(store, key, { ...blobs, facts: textBlob(JSON.stringify(facts)) });
  if (warning) warnOnce(services, "store", warning);
  else sayIfLarge(services);
}
