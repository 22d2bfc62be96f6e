// The kernels of one build → the one line that is printed about them.

import { engineClasses } from "../../compiler/index.ts";
import type { CompiledKernel, Origin } from "../kernel/compiled-kernel.ts";

const phrase = (origin: Origin, lockfile: string): string => {
  switch (origin) {
    case "lock":
      return `from ${lockfile}`;
    case "same-isa":
      return `from ${lockfile} for another target of the same ISA`;
    case "store":
      return "from the store";
    case "pack":
      return "from a pack";
    case "remote":
      return "from the remote store";
    case "tuned":
      return "tuned";
    case "shared":
      return "shared";
    case "predicted":
      return "predicted";
    case "reference":
      return "as reference loops";
  }
};

const origins: readonly Origin[] = [
  "lock",
  "same-isa",
  "store",
  "pack",
  "remote",
  "tuned",
  "shared",
  "predicted",
  "reference",
];
const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** Prints how many entries of the store were not trusted. */
export const foreignLine = (count: number): string =>
  `${count} ${count === 1 ? "entry" : "entries"} of the store ${count === 1 ? "is" : "are"} not of this user's builds: nothing of that was used unchecked`;

/** Says how many kernels of an origin were tuned for other caches. Nothing for the lock's: it is meant to be from another machine. */
function cachesNote(origin: Origin, kernels: readonly CompiledKernel[]): string {
  const count = kernels.filter(({ isForOtherCaches }) => isForOtherCaches).length;
  if (count === 0 || origin === "lock" || origin === "same-isa") return "";
  return ` (${count === kernels.length ? "" : `${count} `}tuned for other caches)`;
}

interface OtherSchedules {
  /** Machines that they are for: "engines on arm", "linux-arm64 and darwin-arm64". */
  readonly machines: string;
  readonly schedules: readonly { readonly origin: Origin }[];
}

function schedulesForEngines(kernels: readonly CompiledKernel[]): readonly OtherSchedules[] {
  const variants = kernels.flatMap((kernel) => kernel.variants ?? []);
  return engineClasses.map((engine) => ({
    machines: `engines on ${engine}`,
    schedules: variants.filter((it) => it.engine === engine),
  }));
}

function schedulesForPlatforms(kernels: readonly CompiledKernel[]): readonly OtherSchedules[] {
  const all = kernels
    .flatMap((kernel) => kernel.elsewhere ?? [])
    .map((schedule) => ({ schedule, machines: schedule.platforms.join(" and ") }));
  return [...new Set(all.map(({ machines }) => machines))].map((machines) => ({
    machines,
    schedules: all.filter((it) => it.machines === machines).map(({ schedule }) => schedule),
  }));
}

/** Says where the schedules are from that kernels have beside their own; nothing where there are none. */
function othersNote(kernels: readonly CompiledKernel[], lockfile: string): string {
  const notes = [...schedulesForEngines(kernels), ...schedulesForPlatforms(kernels)].flatMap(
    ({ machines, schedules }) => {
      const groups = origins.flatMap((origin) => {
        const count = schedules.filter((it) => it.origin === origin).length;
        return count > 0 ? [`${count} ${phrase(origin, lockfile)}`] : [];
      });
      return groups.length > 0 ? [`for ${machines} ${groups.join(", ")}`] : [];
    },
  );
  return notes.length > 0 ? ` (${notes.join("; ")})` : "";
}

/**
 * @param lockfile its name, as shown
 * @param elapsedMs spent in the plugin
 * @returns "3 kernels from kernels.lock.json, 0 measured, 0 compiler runs, 9 ms"; null for a build without kernels
 */
export function summarize(kernels: readonly CompiledKernel[], lockfile: string, elapsedMs: number): string | null {
  if (kernels.length === 0) return null;
  const groups = origins
    .map((origin) => ({ origin, own: kernels.filter((kernel) => kernel.origin === origin) }))
    .filter(({ own }) => own.length > 0)
    .map(({ origin, own }) => ({ count: own.length, from: phrase(origin, lockfile) + cachesNote(origin, own) }));
  const where =
    groups.length === 1 ? ` ${groups[0]!.from}` : `: ${groups.map(({ count, from }) => `${count} ${from}`).join(", ")}`;
  const sum = (field: "measurements" | "compilerRuns"): number => kernels.reduce((all, k) => all + k[field], 0);
  const work = `${sum("measurements")} measured, ${plural(sum("compilerRuns"), "compiler run")}`;
  return `${plural(kernels.length, "kernel")}${where}${othersNote(kernels, lockfile)}, ${work}, ${duration(elapsedMs)}`;
}
