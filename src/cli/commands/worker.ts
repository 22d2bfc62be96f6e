// Usage of `worker`.

import type { Command } from "../project/command.ts";

export const worker: Command = {
  usage: "worker",
  description: "Measure for others: take the jobs of `tune --redis` that are for machines like this one",
  options: [
    { flags: "--redis <url>", description: "where the jobs are" },
    { flags: "--targets <list>", description: "targets to serve (default: all that this machine runs)" },
    { flags: "--label <word>", description: "a class apart from machines that look the same, such as a power limit" },
    { flags: "--job <file>", description: "run the job of this file instead, as under Slurm" },
    { flags: "--out <file>", description: "file for the results of --job" },
    { flags: "--describe <file>", description: "only write the class of this machine into a file, as under Slurm" },
  ],
  examples: ["unplugin-kernel worker --redis redis://tuning.internal:6379"],
  load: () => import("../actions/worker.ts"),
};
