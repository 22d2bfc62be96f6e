// File systems in memory, for tests of disks that are full, read-only or run nothing. They need the right to mount one: root has it, a container
// may not.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { isHere } from "../skips/environment.js";

export function mount(folder: string, options: string): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "pipe" });
}

export function unmount(folder: string): void {
  execFileSync("umount", [folder]);
}

/** Whether this process may mount. */
export const canMount = isHere("tmpfs");

/**
 * Returns a folder that is a file system of `size` while the suite around runs. Hooks mount it: where all tests of a file are skipped, none
 * runs that could take it away again.
 */
export function smallDisk(size: string): string {
  const folder = mkdtempSync(join(tmpdir(), "disk-"));
  beforeAll(() => {
    if (canMount) mount(folder, `size=${size}`);
  });
  afterAll(() => {
    if (canMount) unmount(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
