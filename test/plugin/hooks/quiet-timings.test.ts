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
 * Duration of a tuning that Rolldown warns of: it names callbacks of a second and more where they take a hundred times what it takes
 * to link, which is some 50 ms on a machine that does other things too.
 */
const slowMs = 7_000;

const slow = (name: string, id: string): Plugin => ({
  name,
  resolveId: (source) => (source === id ? id : null),
  async load(source) {
    if (source !== id) return null;
    await wait(slowMs);
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
const own = slow(pluginName, "own");

turn("builds that tune are slow, and say so once", async () => {
  expect(await warningsOf(own)).toHaveLength(1);
  expect(await warningsOf({ ...own, onLog })).toEqual([]);
});

turn("a warning that names other plugins too is theirs", async () => {
  expect(await warningsOf({ ...own, onLog }, slow("other", "other"))).toHaveLength(1);
});
