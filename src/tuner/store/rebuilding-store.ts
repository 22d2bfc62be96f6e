// A store in which nothing that was built is found, so that all of it is built again, and then compared with what the real
// store has: the way to look at what a build from that store would ship. Decisions are data, and are those of the real store.

import { sha256 } from "../../compiler/index.ts";
import type { PutWarning, Store } from "./store.ts";
import type { ArtifactEntry } from "./store-entry.ts";

export interface RebuildComparison {
  /** Roles of blobs that a build would take from the store, and that are not what is built: "addon", "wasm", "code". */
  readonly differing: readonly string[];
  /** Roles of blobs that a build would take from the store, and that could not be built again here. */
  readonly notRebuilt: readonly string[];
}

export interface RebuildingStore extends Store {
  /** Keys of what was asked for. */
  readonly asked: ReadonlySet<string>;
  /** Digests of everything that was built. */
  built(): ReadonlySet<string>;
  /** Compares what was built with what the real store would have given for it. */
  compare(): Promise<RebuildComparison>;
  /** Puts what was built into the real store where that has nothing of ours, and bundles always. A warning if something could not be written. */
  keep(): Promise<PutWarning>;
}

/** Says whether an entry is a bundled operator, which is run and not shipped. An upgrade of the bundler changes it, which is no fault. */
const isBundle = ({ blobs }: ArtifactEntry): boolean => "code" in blobs;

export function rebuildingStore(store: Store): RebuildingStore {
  const asked = new Set<string>();
  const made = new Map<string, ArtifactEntry>();
  const blobs = new Map<string, Uint8Array>();

  return {
    asked,
    async entry(key) {
      asked.add(key);
      const entry = await store.entry(key);
      return entry?.kind === "schedule" ? entry : (made.get(key) ?? null);
    },
    foreignSchedule: store.foreignSchedule,
    async putEntry(key, entry) {
      if (entry.kind === "schedule") return store.putEntry(key, entry);
      made.set(key, entry);
      return null;
    },
    blob: async (digest) => blobs.get(digest) ?? null,
    async putBlob(bytes) {
      blobs.set(sha256(bytes), bytes);
      return null;
    },
    brokenCount: store.brokenCount,
    built: () => new Set(blobs.keys()),
    async compare() {
      const differing = new Set<string>();
      const notRebuilt = new Set<string>();
      for (const key of asked) {
        const there = await store.entry(key);
        if (there?.kind !== "artifact" || isBundle(there)) continue;
        const rebuilt = made.get(key)?.blobs;
        for (const role of new Set([...Object.keys(there.blobs), ...Object.keys(rebuilt ?? {})])) {
          if (!rebuilt) notRebuilt.add(role);
          else if (rebuilt[role]?.sha256 !== there.blobs[role]?.sha256) differing.add(role);
        }
      }
      return { differing: [...differing].sort(), notRebuilt: [...notRebuilt].sort() };
    },
    async keep() {
      for (const [key, entry] of made) {
        const there = await store.entry(key);
        if (there && !(there.kind === "artifact" && isBundle(there))) continue;
        for (const { sha256: digest } of Object.values(entry.blobs)) {
          const warning = await store.putBlob(blobs.get(digest)!);
          if (warning) return warning;
        }
        const warning = await store.putEntry(key, entry);
        if (warning) return warning;
      }
      return null;
    },
  };
}
