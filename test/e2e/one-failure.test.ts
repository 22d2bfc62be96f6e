// Kernels of which one fails by a bug of ours in the middle of its tuning: in a build of each bundler, and on a dev server.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer, type ViteDevServer } from "vite";
import { afterEach, describe, expect, vi } from "vitest";
import { buildApp, type HostName, writeApp } from "../support/build-app.ts";
import { gemmText } from "../support/compile-app.ts";
import { compilingBut } from "../support/failing-kernel.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";
import { sabotageText } from "../support/sabotage.ts";

const turn = inTurn(7);

/** Without 13, which is the size of the operator that fails on the dev server. */
const sizes = [8, 9, 10, 11, 12, 14, 15];
const importsOf = (names: readonly string[]): string =>
  [
    ...names.map((name, at) => `import kernel${at} from "./${name}";`),
    `console.log(${names.map((_, at) => `kernel${at}`).join()});`,
  ].join("\n");

/** Milliseconds without a word from a dev server after which it is taken to be stuck. */
const quietMs = 120_000;
/** Milliseconds for all tunings of a dev server. */
const mostMs = 600_000;

/**
 * Waits until an expectation holds, as long as the server goes on saying things: it tunes at a low priority, behind whatever else the
 * machine does.
 */
async function whileHeard(said: readonly string[], expectation: () => void): Promise<void> {
  for (;;) {
    const before = said.length;
    try {
      return await vi.waitFor(expectation, { timeout: quietMs, interval: 200 });
    } catch (error) {
      if (said.length === before) throw error;
    }
  }
}

const lockedIn = (root: string): readonly string[] =>
  Object.keys(JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8")).kernels).sort();

describe("a build in which one of many kernels fails", () => {
  const hosts: readonly HostName[] = ["rollup", "rolldown", "vite", "esbuild", "webpack", "rspack"];
  // The order in which they end is the plugin's: how many there are matters to one bundler as to another.
  const built = hosts.map((host, at) => ({ host, sizes: at === 0 ? sizes : sizes.slice(0, 3) }));

  turn.each(built)(
    "of $host: the error names it, and the others are in the lock when it is told",
    async ({ host, sizes }) => {
      const root = writeApp({
        "src/main.js": importsOf(sizes.map((M) => `gemm.op.ts?tune=wasm&M=${M}`)),
        "src/gemm.op.ts": gemmText(),
      });
      const compile = compilingBut(({ parameters }) => parameters.M === 9);
      const options = { cacheDir: "store", budget: { trials: 4 }, logLevel: "silent" } as const;
      await expect(buildApp(host, root, compile, options)).rejects.toThrow(
        "kernel.bug: src/gemm.op.ts?M=9&tune=wasm: invariant violated: planted; that is a bug of unplugin-kernel",
      );
      const others = sizes.filter((M) => M !== 9).map((M) => `src/gemm.op.ts?M=${M}&tune=wasm`);
      expect(lockedIn(root)).toEqual([...others].sort());
    },
  );
});

describe("a dev server on which one of seven kernels fails", () => {
  let server: ViteDevServer | null = null;
  afterEach(() => server?.close());

  const ask = (query: string) => server!.environments.client.transformRequest(`/src/${query}&trials=4`);

  turn(
    "tunes the others, warns of that one, and goes on answering",
    async () => {
      const root = writeApp({ "src/gemm.op.ts": gemmText(), "src/bad.op.ts": sabotageText });
      const warnings: string[] = [];
      const said: string[] = [];
      const note = (to: string[]) => (line: string) => void to.push(line);
      const options = { logLevel: "info", mode: "tune", cacheDir: "store" } as const;
      server = await createServer({
        root,
        configFile: false,
        customLogger: {
          info: note(said),
          warn: note(warnings),
          warnOnce: note(warnings),
          error: note(said),
          clearScreen: () => undefined,
          hasErrorLogged: () => false,
          hasWarned: false,
        },
        appType: "custom",
        plugins: [kernelPlugin.vite(options)],
        server: { middlewareMode: true, ws: false },
      });
      const queries = [...sizes.slice(0, 6).map((M) => `gemm.op.ts?M=${M}&tune=wasm`), "bad.op.ts?tune=wasm"];
      for (const answer of await Promise.all(queries.map(ask))) expect(answer?.code).toContain("cacheKey");
      const others = queries.slice(0, 6).map((query) => `src/${query}`);
      await whileHeard(said, () => expect(lockedIn(root)).toEqual([...others].sort()));
      const failure = /bad\.op\.ts: not tuned: kernel\.bug: src\/bad\.op\.ts\?tune=wasm: planted; that is a bug/;
      await whileHeard(said, () => expect(warnings).toEqual([expect.stringMatching(failure)]));
      expect((await ask("gemm.op.ts?M=20&tune=wasm"))?.code).toContain("cacheKey");
      await whileHeard(said, () => expect(lockedIn(root)).toHaveLength(7));
    },
    mostMs,
  );

  turn(
    "answers for the others where the module of one cannot be made",
    async () => {
      const root = writeApp({ "src/gemm.op.ts": gemmText(), "src/bad.op.ts": "export default 1;" });
      const plugins = [kernelPlugin.vite({ logLevel: "silent", mode: "tune", cacheDir: "store" })];
      server = await createServer({
        root,
        configFile: false,
        logLevel: "silent",
        appType: "custom",
        plugins,
        server: { middlewareMode: true, ws: false },
      });
      await expect(ask("bad.op.ts?tune=wasm")).rejects.toThrow("op.not-an-op");
      expect((await ask("gemm.op.ts?tune=wasm"))?.code).toBeDefined();
      writeFileSync(join(root, "src/bad.op.ts"), gemmText());
      await vi.waitFor(() => expect(lockedIn(root)).toHaveLength(1), 2 * quietMs);
    },
    mostMs,
  );
});
