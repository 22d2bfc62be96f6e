// The warning of Rolldown that plugins are slow, in builds by Rolldown itself: dropped where it is about this plugin alone.

import { setTimeout as wait } from "node:timers/promises";
import { type Plugin, type RolldownLog, rolldown } from "rolldown";
import { expect } from "vitest";
import { pluginName } from "../../../src/plugin/emit/plugin-name.ts";
import type { KernelHooks } from "../../../src/plugin/hooks/hooks.ts";
import { withQuietTimings } from "../../../src/plugin/hooks/quiet-timings.ts";
import { inTurn } from "../../support/long.ts";

const turn = inTurn(2);

/**
 * Durations of a tuning that Rolldown warns of, the second for a machine that does much else too: it names callbacks of a second and more where
 * they take a hundred times what it takes to link, which is some 50 ms.
 */
const slowMs = [7_000, 25_000] as const;

const slow = (name: string, id: string, ms: number): Plugin => ({
  name,
  resolveId: (source) => (source === id ? id : null),
  async load(source) {
    if (source !== id) return null;
    await wait(ms);
    return `console.log(${JSON.stringify(name)});`;
  },
});

async function warningsOf(...plugins: readonly Plugin[]): Promise<readonly RolldownLog[]> {
  const logs: RolldownLog[] = [];
  const main: Plugin = {
    name: "main",
    resolveId: (source) => (source === "main" ? "main" : null),
    load: (source) => (source === "main" ? 'import "own"; import "other";' : null),
  };
  const bundle = await rolldown({
    input: "main",
    external: plugins.some(({ name }) => name === "other") ? [] : ["other"],
    plugins: [main, ...plugins],
    onLog: (_, log) => void logs.push(log),
  });
  await bundle.generate();
  await bundle.close();
  return logs.filter(({ code }) => code === "PLUGIN_TIMINGS");
}

const hooks: KernelHooks = () => ({ name: pluginName });
const { onLog } = withQuietTimings("rolldown", hooks)(undefined, { framework: "rolldown" } as never)
  .rolldown as Required<Pick<Plugin, "onLog">>;
const own = (ms: number): Plugin => slow(pluginName, "own", ms);

/** A duration that Rolldown warns of right now. */
async function warnedOf(): Promise<number> {
  for (const ms of slowMs) if ((await warningsOf(own(ms))).length === 1) return ms;
  throw new Error("Rolldown warns of no slow plugin");
}

turn(
  "builds that tune are slow, and say so once",
  async () => {
    const ms = await warnedOf();
    expect(await warningsOf({ ...own(ms), onLog })).toEqual([]);
  },
  120_000,
);

turn(
  "a warning that names other plugins too is theirs",
  async () => {
    const ms = await warnedOf();
    expect(await warningsOf({ ...own(ms), onLog }, slow("other", "other", ms))).toHaveLength(1);
  },
  180_000,
);
