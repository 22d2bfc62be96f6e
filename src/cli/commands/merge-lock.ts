// Usage of `merge-lock`.

import type { Command } from "../project/command.ts";

export const mergeLock: Command = {
  usage: "merge-lock [...files]",
  description:
    "Merge lock files by entry, as git's merge driver (%O %A %B); --resolve mends one that git could not merge",
  options: [
    { flags: "--resolve", description: "resolve the conflict in the project's lock file" },
    { flags: "--ours", description: "where both sides changed a kernel and neither is better, take our entry" },
    { flags: "--theirs", description: "there, take their entry" },
  ],
  examples: ["unplugin-kernel merge-lock --resolve", "unplugin-kernel merge-lock %O %A %B"],
  load: () => import("../actions/merge-lock.ts"),
};
