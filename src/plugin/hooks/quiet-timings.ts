// Rolldown, and Vite with it, warns of plugins in which much of a build's time goes. A build that tunes does not need
// the warning: the plugin has said how long tuning took. The warning is dropped if it is about this plugin alone, and
// kept if it names others.

import type { UnpluginOptions } from "unplugin";
import { pluginName } from "../emit/plugin-name.ts";
import type { KernelHooks } from "./hooks.ts";

interface Log {
  readonly code?: string;
  readonly message: string;
}

/**
 * Says whether a log is about more than this plugin. The slowest callbacks are a list: " - plugin unplugin-kernel load
 * (97%, 6.1s, 1 call)".
 */
function isOfOthers({ code, message }: Log): boolean {
  if (code !== "PLUGIN_TIMINGS") return true;
  const slowest = message.split("\n").filter((line) => /^\s+- /.test(line));
  return slowest.length === 0 || slowest.some((line) => !line.includes(`plugin ${pluginName} `));
}

/** A hook of Rollup's: false drops the log. */
const onLog = (_level: unknown, log: Log): false | undefined => (isOfOthers(log) ? undefined : false);

/** The hooks, with ears for the warning in the host of that name. */
export const withQuietTimings =
  (host: "vite" | "rolldown", hooks: KernelHooks): KernelHooks =>
  (...given): UnpluginOptions => {
    const made = hooks(...given);
    return { ...made, [host]: { ...made[host], onLog } };
  };
