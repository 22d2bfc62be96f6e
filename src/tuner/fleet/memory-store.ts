// Results of a job that is run from a file: kept in memory, and written as a whole by who runs it.

import type { FleetStore } from "./queue.ts";

export interface MemoryStore extends FleetStore {
  readonly texts: ReadonlyMap<string, string>;
}

export function memoryStore(): MemoryStore {
  const texts = new Map<string, string>();
  const marks = new Map<string, Set<string>>();
  return {
    texts,
    async createOnce(name, text) {
      if (texts.has(name)) return false;
      texts.set(name, text);
      return true;
    },
    read: async (names) => names.map((name) => texts.get(name) ?? null),
    async mark(job, text) {
      marks.set(job, (marks.get(job) ?? new Set()).add(text));
    },
    marks: async (job) => [...(marks.get(job) ?? [])],
  };
}
