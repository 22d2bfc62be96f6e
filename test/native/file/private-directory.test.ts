// Leftovers of killed processes are removed; directories of processes that cannot be asked are left alone until they are old.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { withPrivateDirectory } from "../../../src/native/file/private-directory.ts";
import { processSpace } from "../../../src/native/process/process-identity.ts";

let temporary = "";
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "private-"));
  vi.stubEnv("TMPDIR", temporary);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(temporary, { recursive: true, force: true });
});

/** Number of no process: the greatest that Linux gives. */
const noPid = 4_194_304;
const longAgo = new Date(Date.now() - 2 * 86_400_000);

const make = (name: string, time = new Date()): string => {
  mkdirSync(join(temporary, name));
  utimesSync(join(temporary, name), time, time);
  return name;
};

it("a directory goes with the process that cannot use it any more, and with no other", async () => {
  const own = await withPrivateDirectory(async (directory) => basename(directory));
  const [, , space, pid] = own.split("-");
  expect(pid).toBe(String(process.pid));
  make(`unplugin-kernel-${space}-${noPid}-aaaaaa`);
  make(`unplugin-kernel-00000000-${noPid}-bbbbbb`, longAgo);
  const kept = [
    make(`unplugin-kernel-${space}-${process.ppid}-cccccc`),
    make(`unplugin-kernel-00000000-${noPid}-dddddd`),
    make("unplugin-kernel-soak-eeeeee", longAgo),
    make("other"),
  ];
  await withPrivateDirectory(async () => undefined);
  expect(readdirSync(temporary).sort()).toEqual(kept.sort());
});

it("containers with one host name, and boots of one machine, have names of their own", async () => {
  const named = (): Promise<string> => withPrivateDirectory(async (directory) => basename(directory).split("-")[2]!);
  const own = await named();
  const space = processSpace() as { namespace: string; boot: string };
  const { namespace, boot } = space;
  try {
    space.namespace = "pid:[1]";
    const elsewhere = await named();
    Object.assign(space, { namespace, boot: "earlier" });
    expect(new Set([own, elsewhere, await named()]).size).toBe(3);
  } finally {
    Object.assign(space, { namespace, boot });
  }
});
