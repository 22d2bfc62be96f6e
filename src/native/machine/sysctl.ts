// Asks macOS of its processor.

import { builtin } from "../process/start-worker.ts";

/**
 * Returns the lines "hw.ncpu: 8" of a part of the tree. A whole part: sysctl fails where one name of a list is unknown, as those of L3 are on
 * Apple's processors.
 *
 * @throws where there is no sysctl
 */
export const readSysctl = (part: "hw" | "hw.optional" | "machdep.cpu"): string =>
  builtin("node:child_process")!.execFileSync("/usr/sbin/sysctl", [part], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
