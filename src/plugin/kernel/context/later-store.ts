// A store for answers that somebody waits for: what is to be written is kept back, as writing takes longer than making it again.

import type { PutWarning, Store } from "../../../tuner/store/store.ts";

export interface LaterStore extends Store {
  /** Writes what was kept back; a warning if something could not be. */
  flush(): Promise<PutWarning>;
}

export function laterStore(store: Store): LaterStore {
  const puts: (() => Promise<PutWarning>)[] = [];
  const later = async (put: () => Promise<PutWarning>): Promise<PutWarning> => {
    puts.push(put);
    return null;
  };
  return {
    ...store,
    putEntry: (key, entry) => later(() => store.putEntry(key, entry)),
    putBlob: (bytes) => later(() => store.putBlob(bytes)),
    async flush() {
      // Blobs are written in order before the entry, so that an entry never names a missing blob.
      for (const put of puts.splice(0)) {
        const warning = await put();
        if (warning) return warning;
      }
      return null;
    },
  };
}
