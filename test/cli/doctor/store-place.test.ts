// What `doctor` and `cache ls` say of a store in a bad place: on a network file system, and in a folder that others may write.

import { chmodSync, mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { run as cache } from "../../../src/cli/actions/cache.ts";
import { run as doctor } from "../../../src/cli/actions/doctor.ts";
import type { Run } from "../../../src/cli/project/command.ts";
import { openProject } from "../../../src/cli/project/project.ts";
import { gemm, writeProject } from "../project.ts";

// No container mounts NFS: the system's answer to the one question is another.
vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  return { ...real, statfsSync: vi.fn(real.statfsSync) };
});
afterEach(() => void vi.mocked(statfsSync).mockReset());

const commands: readonly (readonly [name: string, run: Run, args: readonly string[]])[] = [
  ["doctor", doctor, []],
  ["cache ls", cache, ["ls"]],
];

function projectWithStore(mode: number) {
  const root = writeProject({ "src/gemm.op.ts": gemm, "package.json": '{"name":"app"}' });
  const store = join(root, "store");
  mkdirSync(store);
  chmodSync(store, mode);
  return { store, open: () => openProject({ root, cacheDir: store }, "silent") };
}

test.skipIf(process.platform !== "linux").each(commands)("%s: on NFS", async (_, run, args) => {
  const { store, open } = projectWithStore(0o755);
  vi.mocked(statfsSync).mockReturnValue({ type: 0x6969 } as ReturnType<typeof statfsSync>);
  const { text } = await run(open(), args, {});
  const lines = text.split("\n").filter((line) => line.includes(`the store in ${store} is on`));
  expect(lines.map((line) => line.trim())).toEqual([
    `the store in ${store} is on NFS, where others' writes are seen late and deleted files return: name a local folder (cacheDir), and share by a remote store`,
  ]);
});

test.skipIf(process.platform === "win32").each(commands)("%s: that everybody may write", async (_, run, args) => {
  const { store, open } = projectWithStore(0o777);
  const { text } = await run(open(), args, {});
  expect(text).toContain(`${store} can be written by everybody: whoever writes there may put kernels into your builds`);
});

test.each(commands)("%s: of one's own on a local disk has no such line", async (_, run, args) => {
  const { open } = projectWithStore(0o755);
  vi.mocked(statfsSync).mockReturnValue({ type: 0xef53 } as ReturnType<typeof statfsSync>);
  const { text } = await run(open(), args, {});
  expect(text).not.toMatch(/can be written by|is on /);
});
