// Bundles of operator files that are kept in the store: when they are used again, and when not.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../src/compiler/index.ts";
import { bundleOf } from "../../../src/plugin/operator/bundle.ts";
import type { Store } from "../../../src/tuner/store/store.ts";
import type { StoreEntry } from "../../../src/tuner/store/store-entry.ts";
import { inFolder } from "../../support/op-file.ts";

/** A store in memory; `puts` counts the entries that were written. */
function memoryStore(): { readonly store: Store; readonly puts: () => number } {
  const entries = new Map<string, StoreEntry>();
  const blobs = new Map<string, Uint8Array>();
  let puts = 0;
  const store: Store = {
    entry: async (key) => entries.get(key) ?? null,
    foreignSchedule: async () => null,
    putEntry: async (key, entry) => {
      entries.set(key, entry);
      puts += 1;
      return null;
    },
    blob: async (digest) => blobs.get(digest) ?? null,
    putBlob: async (bytes) => {
      blobs.set(sha256(bytes), bytes);
      return null;
    },
    brokenCount: () => 0,
  };
  return { store, puts: () => puts };
}

const op = `import { one } from "./one.ts";\nexport default one + 1;\n`;

const inProject = (files: Record<string, string>, body: (root: string) => Promise<void>): Promise<void> =>
  inFolder({ "a.op.ts": op, "one.ts": "export const one = 41;\n", ...files }, body);

describe("bundles in the store", () => {
  test("a file that has not changed is bundled once", () =>
    inProject({}, async (root) => {
      const { store, puts } = memoryStore();
      const bundle = () => bundleOf(join(root, "a.op.ts"), { root, store, external: [] });
      const first = await bundle();
      expect(puts()).toBe(1);
      expect(await bundle()).toEqual(first);
      expect(puts()).toBe(1);
      expect(first.code).toContain("one + 1");
      expect([...first.files].sort()).toEqual([join(root, "a.op.ts"), join(root, "one.ts")]);
    }));

  test("checks of conditions are kept with it", () =>
    inProject({ "a.op.ts": "export default f(1) ? 1 : 2;\n" }, async (root) => {
      const { store, puts } = memoryStore();
      const guards = async () => (await bundleOf(join(root, "a.op.ts"), { root, store, external: [] })).guards;
      const first = await guards();
      expect(first.map(({ text }) => text)).toEqual(["$unpluginKernelGuard(", ', "?:", f)']);
      expect(await guards()).toEqual(first);
      expect(puts()).toBe(1);
    }));

  test("a change of the file, or of one that it imports, is seen", () =>
    inProject({}, async (root) => {
      const { store, puts } = memoryStore();
      const code = async () => (await bundleOf(join(root, "a.op.ts"), { root, store, external: [] })).code;
      await code();
      writeFileSync(join(root, "one.ts"), "export const one = 7;\n");
      expect(await code()).toContain("one = 7");
      writeFileSync(join(root, "a.op.ts"), op.replace("+ 1", "+ 2"));
      expect(await code()).toContain("one + 2");
      expect(puts()).toBe(3);
    }));

  test("a copy beside other imports gets its own", () =>
    inProject({ "sub/a.op.ts": op, "sub/one.ts": "export const one = 5;\n" }, async (root) => {
      const { store } = memoryStore();
      const code = async (file: string) => (await bundleOf(join(root, file), { root, store, external: [] })).code;
      expect(await code("a.op.ts")).toContain("one = 41");
      expect(await code("sub/a.op.ts")).toContain("one = 5");
      expect(await code("a.op.ts")).toContain("one = 41");
    }));

  test.each([
    ["without an extension, which another file could take", "./one"],
    ["of a package, which could be another one tomorrow", "one"],
  ])("an import %s, is looked up each time", (_, specifier) =>
    inProject(
      {
        "a.op.ts": op.replace("./one.ts", specifier),
        "node_modules/one/package.json": `{ "name": "one", "main": "index.js" }`,
        "node_modules/one/index.js": "export const one = 3;\n",
      },
      async (root) => {
        const { store, puts } = memoryStore();
        await bundleOf(join(root, "a.op.ts"), { root, store, external: [] });
        expect(puts()).toBe(0);
      },
    ),
  );
});
