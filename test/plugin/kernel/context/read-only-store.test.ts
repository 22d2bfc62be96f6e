// Stores that cannot be written, each for another reason: the build is right, and says why nothing was kept.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { putBlobs, textBlob } from "../../../../src/tuner/store/blobs.ts";
import { openStore } from "../../../../src/tuner/store/store.ts";
import { writeApp } from "../../../support/build-app.ts";
import { compileIn, gemmText } from "../../../support/compile-app.ts";
import { inTurn } from "../../../support/long.ts";
import { wasmOf } from "../../../support/parts-of.ts";
import { canMount, mount, smallDisk } from "../../../support/small-disk.ts";
import { decisionKey, decisionOf } from "../../../sweep/gc/fill-store.ts";

const turn = inTurn(4);

const disk = smallDisk("2m");

describe.skipIf(!canMount)("a store on a disk of 2 MB (needs the right to mount a tmpfs)", () => {
  test("that is full: a put is a warning, what was there is read, and room makes it whole", async () => {
    const store = openStore(join(disk, "full"));
    expect(await store.putEntry(decisionKey(0), decisionOf(0))).toBeNull();
    const large = { addon: new Uint8Array(1_500_000).fill(7), facts: textBlob("{}") };
    writeFileSync(join(disk, "ballast"), Buffer.alloc(1_000_000));
    expect(await putBlobs(store, decisionKey(1), large)).toContain("ENOSPC");
    expect(await store.entry(decisionKey(1))).toBeNull();
    expect(await store.entry(decisionKey(0))).toEqual(decisionOf(0));
    rmSync(join(disk, "ballast"));
    rmSync(join(disk, "full/tmp"), { recursive: true, force: true });
    expect(await putBlobs(store, decisionKey(1), large)).toBeNull();
    expect(await store.entry(decisionKey(1))).toMatchObject({ kind: "artifact" });
    rmSync(join(disk, "full"), { recursive: true });
  });

  turn("that is remounted read-only: hits are hits, a put is a warning, and a build is right", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const options = { cacheDir: join(disk, "store") };
    const first = await compileIn(root, { options });
    expect(first.warnings).toEqual([]);
    mount(disk, "remount,ro");
    try {
      const second = await compileIn(root, { options });
      expect(second.kernel).toMatchObject({ origin: "lock", measurements: 0 });
      expect(wasmOf(second.kernel)!.bytes).toEqual(wasmOf(first.kernel)!.bytes);
      expect(second.warnings).toEqual([]);
      expect(await openStore(options.cacheDir).putEntry(decisionKey(0), decisionOf(0))).toContain("EROFS");
      writeFileSync(join(root, "src/gemm.op.ts"), gemmText({ twice: true }));
      const third = await compileIn(root, { options });
      expect(third.kernel).toMatchObject({ origin: "tuned" });
      expect(third.warnings.join("\n")).toContain("EROFS");
    } finally {
      mount(disk, "remount,rw");
    }
  });
});

turn.each(["index-v5", "content-v2", "tmp"])("a file in place of the store's folder %s is a warning", async (name) => {
  const root = writeApp({ "src/gemm.op.ts": gemmText() });
  mkdirSync(join(root, "store"));
  writeFileSync(join(root, "store", name), "");
  const { kernel, warnings } = await compileIn(root);
  expect(kernel).toMatchObject({ origin: "tuned" });
  expect(warnings.join("\n")).toMatch(/could not be written: .*(EEXIST|ENOTDIR)/);
});
