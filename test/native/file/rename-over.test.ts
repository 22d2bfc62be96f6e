// On Windows a file that somebody has open is replaced as soon as it is free: what a rename is refused for then is made up here.

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const refusals = vi.hoisted(() => ({ left: 0, code: "EPERM" }));

function refuseSometimes(): void {
  if (refusals.left === 0) return;
  refusals.left -= 1;
  throw Object.assign(new Error(`${refusals.code}: rename`), { code: refusals.code });
}

vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const renameSync: typeof real.renameSync = (from, to) => {
    refuseSometimes();
    real.renameSync(from, to);
  };
  return { ...real, renameSync };
});
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const rename: typeof real.rename = async (from, to) => {
    refuseSometimes();
    await real.rename(from, to);
  };
  return { ...real, rename };
});

const { platform } = process;
let from = "";
let to = "";
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "rename-"));
  [from, to] = [join(folder, "new"), join(folder, "old")];
  writeFileSync(from, "new");
  writeFileSync(to, "old");
});
afterEach(() => {
  Object.defineProperty(process, "platform", { value: platform });
  vi.resetModules();
});

async function on(system: NodeJS.Platform) {
  Object.defineProperty(process, "platform", { value: system });
  vi.resetModules();
  const { renameOver, renameOverSync } = await import("../../../src/native/file/rename-over.ts");
  return [renameOver, async (...paths: [string, string]) => renameOverSync(...paths)];
}

test.each([0, 1])("a file in use is replaced a moment later on Windows, way %i", async (way) => {
  Object.assign(refusals, { left: 4, code: way === 0 ? "EPERM" : "EBUSY" });
  await (await on("win32"))[way]!(from, to);
  expect(readFileSync(to, "utf8")).toBe("new");
});

test.each([0, 1])("other refusals are told at once, and on Linux all, way %i", async (way) => {
  Object.assign(refusals, { left: 1, code: "ENOSPC" });
  await expect((await on("win32"))[way]!(from, to)).rejects.toThrow("ENOSPC: rename");
  Object.assign(refusals, { left: 1, code: "EPERM" });
  await expect((await on("linux"))[way]!(from, to)).rejects.toThrow("EPERM: rename");
  expect(readFileSync(to, "utf8")).toBe("old");
});
