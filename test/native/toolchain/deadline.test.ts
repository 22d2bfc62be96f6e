// Deadlines of compilers: all processes of a compiler end with it, and nobody waits for what they hold.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CSource } from "../../../src/compiler/index.ts";
import { buildNative } from "../../../src/native/addon/build.ts";
import { stopOutlivingWork } from "../../../src/native/process/outliving-work.ts";
import { detectToolchains } from "../../../src/native/toolchain/detect.ts";
import { platformHere } from "../../../src/native/toolchain/platform.ts";
import { runCompiler } from "../../../src/native/toolchain/run-compiler.ts";
import type { Toolchain } from "../../../src/native/toolchain/toolchain.ts";
import { eventually, patienceMs } from "../../support/eventually.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deadline-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function fakeCompiler(script: string): Toolchain {
  const path = join(folder, "gcc");
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return {
    family: "gcc",
    version: "1.0.0",
    identity: "gcc 1.0.0 none 0",
    path,
    environment: {},
    platform: platformHere,
  };
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const start = performance.now();
  const result = await work();
  return { result, ms: performance.now() - start };
}

/** Whether a process runs. A zombie, which waits for its parent's attention, does not. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Waits until the process that the fake compiler left a note of is gone. */
async function childIsGone(): Promise<void> {
  const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
  await eventually(() => expect(isRunning(pid)).toBe(false));
}

const privateFolders = (): readonly string[] =>
  readdirSync(folder).filter((name) => name.startsWith("unplugin-kernel-"));

// Each `sleep` is longer than the patience of a test: whoever waits for it is told.
describe.skipIf(process.platform === "win32")("the deadline of a compiler", () => {
  it("ends a wrapper's child with it", async () => {
    const compiler = fakeCompiler(`sleep 900 & echo $! > ${folder}/pid; wait`);
    const { result, ms } = await timed(() => runCompiler(compiler, [], { folder, timeoutMs: 300 }));
    expect(result).toBe("the compiler took longer than 300 ms");
    expect(ms).toBeLessThan(patienceMs);
    await childIsGone();
  });

  it("ends what a compiler left behind with the pipe in its hands, and what it compiled counts", async () => {
    const compiler = fakeCompiler(`sleep 900 & echo $! > ${folder}/pid`);
    const { result, ms } = await timed(() => runCompiler(compiler, [], { folder, timeoutMs: 900_000 }));
    expect(result).toBeNull();
    expect(ms).toBeLessThan(patienceMs);
    await childIsGone();
  });

  it("waits for no process that left the group and holds the pipe", async () => {
    const compiler = fakeCompiler(`setsid sh -c 'echo $$ > ${folder}/pid; exec sleep 900' & sleep 900`);
    const { result, ms } = await timed(() => runCompiler(compiler, [], { folder, timeoutMs: 300 }));
    expect(result).toBe("the compiler took longer than 300 ms");
    expect(ms).toBeLessThan(patienceMs);
    process.kill(Number(readFileSync(join(folder, "pid"), "utf8")), "SIGKILL");
  });

  it.each(["sleep 900", "exec sleep 900", "sleep 900 & exit 1"])("holds for its version too: %s", async (script) => {
    fakeCompiler(script);
    const { result, ms } = await timed(() => detectToolchains({ path: folder }, ["gcc"], 300));
    expect(result).toEqual([]);
    expect(ms).toBeLessThan(patienceMs);
  });

  it("is not waited for by an aborted build", async () => {
    const compiler = fakeCompiler("sleep 900");
    const reason = new Error("enough");
    const work = (): Promise<unknown> =>
      runCompiler(compiler, [], { folder, timeoutMs: 900_000, signal: AbortSignal.any([abortedWith(reason)]) });
    await expect(work()).rejects.toBe(reason);
    const later = new AbortController();
    setTimeout(() => later.abort(reason), 100);
    const { ms } = await timed(() =>
      expect(runCompiler(compiler, [], { folder, timeoutMs: 900_000, signal: later.signal })).rejects.toBe(reason),
    );
    expect(ms).toBeLessThan(patienceMs);
  });

  it("is not lived to see by an addon that is compiled for all builds, where the process is to end", async () => {
    vi.stubEnv("TMPDIR", folder);
    const compiler = fakeCompiler(`sleep 900 & echo $! > ${folder}/pid; wait`);
    const build = new AbortController();
    const source = { features: [], numerics: "strict" } as unknown as CSource;
    const options = { outDir: join(folder, "out"), toolchain: compiler, signal: build.signal };
    const left = buildNative([source], options).catch((error: unknown) => [error, privateFolders()]);
    await eventually(() => expect(readFileSync(join(folder, "pid"), "utf8")).toMatch(/\n/));
    const reason = new Error("interrupted");
    const stopped = stopOutlivingWork();
    build.abort(reason);
    expect(await left).toEqual([reason, []]);
    await stopped;
    await childIsGone();
  });

  it("is the end of the wait for a compiler that nobody here may end", async () => {
    const compiler = fakeCompiler(`echo $$ > ${folder}/pid; exec sleep 900`);
    const kill = vi.spyOn(process, "kill").mockImplementation(() => {
      throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
    });
    const { result, ms } = await timed(() => runCompiler(compiler, [], { folder, timeoutMs: 300 }));
    kill.mockRestore();
    expect(result).toBe("the compiler took longer than 300 ms");
    expect(ms).toBeLessThan(patienceMs);
    process.kill(Number(readFileSync(join(folder, "pid"), "utf8")), "SIGKILL");
  });
});

function abortedWith(reason: Error): AbortSignal {
  const controller = new AbortController();
  controller.abort(reason);
  return controller.signal;
}

it.skipIf(process.platform === "win32")(
  "what a command said while this thread was busy is heard, and in time",
  async () => {
    fakeCompiler('case "$1" in --version) echo "gcc (Test 1.0) 12.2.0";; -dumpmachine) echo here;; esac');
    const detecting = detectToolchains({ path: folder }, ["gcc"], 1500);
    await sleep(30);
    const end = performance.now() + 2500;
    while (performance.now() < end);
    expect(await detecting).toMatchObject([{ version: "12.2.0" }]);
  },
);
