// Load of a dev server's tuning on the machine: processes of low priority, none of which is left when the server is
// closed.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { createServer, type ViteDevServer } from "vite";
import { afterEach, describe, expect } from "vitest";
import { cpuFeatures } from "../../src/native/machine/cpu-features.ts";
import { writeApp } from "../support/build-app.ts";
import { eventually } from "../support/eventually.ts";
import { noAddon } from "../support/fake-kernel.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(3);

const noProc = existsSync("/proc/self/task") ? null : "no /proc";

/**
 * Processes that this one and its own have started and that have not ended, by what they run. Not those of a compiler:
 * each of its passes is a copy of it, by name too, until it runs something else.
 */
function descendants(parent: number | "self" = "self"): ReadonlyMap<number, string> {
  const read = (path: string): string => {
    try {
      return readFileSync(`/proc/${parent}/${path}`, "utf8");
    } catch {
      return ""; // it has ended
    }
  };
  const threads = existsSync(`/proc/${parent}/task`) ? readdirSync(`/proc/${parent}/task`) : [];
  const children = threads.flatMap((thread) => read(`task/${thread}/children`).split(" ").filter(Boolean).map(Number));
  const command = read("cmdline").replaceAll("\0", " ");
  const own = parent === "self" ? [] : [[parent, command] as const];
  if (compiler.test(command)) return new Map(own);
  return new Map([...own, ...children.flatMap((child) => [...descendants(child)])]);
}

const pidsOf = (pattern: RegExp): readonly number[] =>
  [...descendants()].filter(([, command]) => pattern.test(command)).map(([pid]) => pid);

const noAvx2 = noAddon ?? (cpuFeatures().includes("avx2") ? null : "this CPU has no avx2");

const low = constants.priority.PRIORITY_BELOW_NORMAL;
const tuning = /background-tuner\.js/;
const measuring = /native\/worker\.js/;
const compiler = /^\S*\/[\w-]*(gcc|cc|clang)(-\d+)? .*kernels\.c/;

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

  turn.each([false, true])(
    "is a process of low priority, which measures in another, and over when the server is closed (middleware: %s)",
    async (middleware) => {
      const started = await startTuning("wasm", middleware);
      await eventually(() => expect(pidsOf(measuring)).toHaveLength(1));
      const pids = [...pidsOf(tuning), ...pidsOf(measuring)];
      expect(pids.map((pid) => getPriority(pid))).toEqual([low, low]);
      await started.close();
      server = null;
      await eventually(() => expect([...pidsOf(tuning), ...pidsOf(measuring)]).toEqual([]));
    },
  );

  turn.skipIf(noAvx2)(`runs one compiler at a time${noAvx2 ? ` (${noAvx2})` : ""}`, async () => {
    await startTuning("avx2");
    const seen: (readonly number[])[] = [];
    await eventually(
      () => {
        const now = pidsOf(compiler);
        if (now.length > 0) seen.push(now.map((pid) => getPriority(pid)));
        expect(seen.length).toBeGreaterThan(2);
      },
      { interval: 5 },
    );
    expect(seen).toEqual(seen.map(() => [low]));
  });
});
