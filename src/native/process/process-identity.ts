// Where a process number means something: one boot of one machine, and one PID namespace of it. Containers may share a
// directory and a host name, and each counts its processes from 1.

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export interface ProcessSpace {
  readonly host: string;
  /** Identity of this run of the kernel, the same in all containers of a machine; "" where the system does not tell. */
  readonly boot: string;
  /** Identity of the PID namespace; "" where there are none. */
  readonly namespace: string;
}

let known: ProcessSpace | null = null;

/** Returns the space of this process's own number. */
export function processSpace(): ProcessSpace {
  known ??= {
    host: hostname(),
    boot: readOrEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    namespace: readOrEmpty(() => readlinkSync("/proc/self/ns/pid")),
  };
  return known;
}

function readOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

/** Says whether process numbers of both spaces name the same processes. */
export const isSameSpace = (one: ProcessSpace, other: ProcessSpace): boolean =>
  one.host === other.host && one.boot === other.boot && one.namespace === other.namespace;

/** Says whether a process of this space runs. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
