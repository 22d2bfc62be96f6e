// Flags that name a fleet.

import type { CommandOption } from "./flags.ts";

export const fleetOptions: readonly CommandOption[] = [
  { flags: "--redis <url>", description: "measure on the workers that this Redis has: see the command worker" },
  { flags: "--slurm <constraint>", description: "measure on nodes of Slurm, by sbatch --exclusive --constraint" },
  {
    flags: "--all-targets",
    description:
      "with one of these: for each kernel and each kind of worker, an entry in the lock for the worker's target",
  },
];
