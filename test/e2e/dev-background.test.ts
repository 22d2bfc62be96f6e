// What a dev server's tuning is to the machine: processes of low priority, of which none is left when the server is closed.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { createServer, type ViteDevServer } from "vite";
import { afterEach, describe, expect, it, vi } from "vitest";
import { cpuFeatures } from "../../src/native/load/cpu-features.ts";
import kernelPlugin from "../../src/plugin/index.ts";
import { writeApp } from "../support/build-app.ts";
import { noAddon } from "../support/fake-kernel.ts";

const noProc = existsSync("/proc/self/task") ? null : "no /proc";

/** Processes that this one has started and that have not ended, by what they run. */
function children(): ReadonlyMap<number, string> {
  const own = readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
  );
  const command = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    } catch {
      return "";
    }
  };
  return new Map(own.map((pid) => [Number(pid), command(pid)]));
}

const pidsOf = (pattern: RegExp): readonly number[] =>
  [...children()].filter(([, command]) => pattern.test(command)).map(([pid]) => pid);

const noAvx2 = noAddon ?? (cpuFeatures().includes("avx2") ? null : "this CPU has no avx2");

const measuring = /native\/worker\.js/;

describe.skipIf(noProc)(`a dev server's tuning${noProc ? ` (${noProc})` : ""}`, () => {
  let server: ViteDevServer | null = null;
  afterEach(() => server?.close());

  /** Long enough to be looked at. */
  async function startTuning(target: string, middlewareMode = false): Promise<ViteDevServer> {
    const root = writeApp({
      "src/gemm.op.ts": 'import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 64, N: 64, K: 64 });\n',
    });
    const options = { logLevel: "silent", mode: "tune", cacheDir: "store" } as const;
    server = await createServer({
      root,
      configFile: false,
      logLevel: "silent",
      appType: "custom",
      plugins: [kernelPlugin.vite(options)],
      server: { middlewareMode, ws: false, port: 0, host: "localhost" },
    });
    const url = `/src/gemm.op.ts?tune=${target}&seconds=60&trials=100000`;
    await Promise.all(Object.values(server.environments).map((environment) => environment.transformRequest(url)));
    return server;
  }

  it.each([false, true])(
    "is one process of low priority, and over when the server is closed (middleware: %s)",
    async (middleware) => {
      const started = await startTuning("wasm", middleware);
      await vi.waitFor(() => expect(pidsOf(measuring)).toHaveLength(1), 20_000);
      expect(pidsOf(measuring).map((pid) => getPriority(pid))).toEqual([constants.priority.PRIORITY_BELOW_NORMAL]);
      await started.close();
      server = null;
      await vi.waitFor(() => expect(pidsOf(measuring)).toEqual([]), 5000);
    },
  );

  it.skipIf(noAvx2)(`runs one compiler at a time${noAvx2 ? ` (${noAvx2})` : ""}`, async () => {
    await startTuning("avx2");
    const compilers = /\/(gcc|cc|clang)\S* .*kernels\.c/;
    const seen: (readonly number[])[] = [];
    await vi.waitFor(
      () => {
        const now = pidsOf(compilers);
        if (now.length > 0) seen.push(now.map((pid) => getPriority(pid)));
        expect(seen.length).toBeGreaterThan(2);
      },
      { timeout: 20_000, interval: 5 },
    );
    expect(seen).toEqual(seen.map(() => [constants.priority.PRIORITY_BELOW_NORMAL]));
  });
});
