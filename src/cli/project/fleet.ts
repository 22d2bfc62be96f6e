// `--redis` and `--slurm`: the fleet that a command measures on. A fleet that cannot be reached is a line, and this machine measures.

import { join } from "node:path";
import { refuse } from "../../compiler/index.ts";
import type { Fleet } from "../../plugin/fleet/open-fleet.ts";
import { fleetKey } from "../../plugin/options/options.ts";
import { badArgument, type Flags } from "../flags/flags.ts";
import type { Project } from "./project.ts";

/** @throws DiagnosticError `command.bad-argument` */
export function redisUrl(flag: unknown): string {
  const url = String(flag);
  if (URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)) return url;
  throw badArgument(`--redis is "${flag}"`, "a URL such as redis://127.0.0.1:6379");
}

/**
 * Opens the fleet that the flags name.
 *
 * @returns null where none is named, or none can be used
 * @throws DiagnosticError `command.bad-argument`; `fleet.no-workers` where all targets are wanted
 */
export async function fleetOf({ options, session }: Project, flags: Flags): Promise<Fleet | null> {
  const { redis, slurm, allTargets, total } = flags;
  if (redis === undefined && slurm === undefined) {
    if (allTargets) throw badArgument("--all-targets has no fleet", "--redis <url> or --slurm <constraint> with it");
    return null;
  }
  if (redis !== undefined && slurm !== undefined)
    throw badArgument("--redis and --slurm are both given", "one of them");
  if (total !== undefined) throw badArgument("--total is given with a fleet", "--seconds: each kernel has its own");
  const { openFleet } = await import("../../plugin/fleet/open-fleet.ts");
  let said = "";
  const fleet = await openFleet({
    key: fleetKey(),
    open: redis === undefined ? () => slurmQueue(String(slurm), options) : () => redisQueue(redisUrl(redis)),
    warn(line) {
      said = line;
      if (!allTargets) session.log().warn(line);
    },
  });
  if (fleet || !allTargets) return fleet;
  const message = `the targets of other machines cannot be tuned: ${said.replace(/; this machine.*$/, "")}`;
  const hint = redis === undefined ? ofSlurm : (hints.find(([words]) => said.includes(words))?.[1] ?? startWorkers);
  throw refuse("fleet.no-workers", message, hint);
}

const startWorkers = "start workers: npx unplugin-kernel worker --redis <url>";
const ofSlurm =
  "run this where sbatch is, on a file system that the nodes share, with a constraint that some node meets";

/** Hint for the user, by the reason why a fleet cannot be used. */
const hints: readonly (readonly [words: string, hint: string])[] = [
  ["cannot be reached", "start that Redis, or name another with --redis"],
  ["not signed", "give the workers and this command the same UNPLUGIN_KERNEL_QUEUE_KEY, or none of them"],
];

const redisQueue = async (url: string) => (await import("../../plugin/fleet/redis-queue.ts")).openRedisQueue({ url });

async function slurmQueue(constraint: string, { cacheDir, root }: Project["options"]) {
  const { openSlurmQueue } = await import("../../plugin/fleet/slurm-queue.ts");
  const worker = [process.execPath, process.argv[1]!, "worker", "--root", root, "--cache-dir", cacheDir];
  return openSlurmQueue({ constraint, folder: join(cacheDir, "slurm"), worker });
}
