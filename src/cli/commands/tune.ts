// Usage of `tune`.

import { strategyNames } from "../../tuner/search/strategy/strategy.ts";
import { fleetOptions } from "../flags/fleet-flags.ts";
import { addressOptions } from "../flags/page-options.ts";
import { remoteOptions } from "../flags/remote-flags.ts";
import type { Command } from "../project/command.ts";

export const tune: Command = {
  usage: "tune [...kernels]",
  description: "Tune the kernels that the project imports, all or those of some operator files, into store and lock",
  options: [
    { flags: "--seconds <count>", description: "most for one kernel (default: 30)" },
    { flags: "--trials <count>", description: "most candidates for one kernel (default: 512)" },
    { flags: "--pack <name>", description: "a package of decisions that is installed; may be given again" },
    { flags: "--trust <file>", description: "JSON file with the value of option trust" },
    ...remoteOptions,
    { flags: "--offline", description: "ask no store that others share" },
    {
      flags: "--again",
      description: "search on from what was measured, for the whole budget; what lock and store have does not count",
    },
    {
      flags: "--update",
      description: "measure anew, from nothing, and drop entries of the lock that nothing imports any more",
    },
    {
      flags: "--compare <strategies>",
      description: `before that, searches from nothing with each of ${strategyNames.join(",")} that is named, for the report`,
    },
    {
      flags: "--prove",
      description: "then say of each winner whether the cost model predicts any schedule of its space to be faster",
    },
    { flags: "--total <seconds>", description: "for all of them together, spent where they save most" },
    {
      flags: "--browser",
      description: "serve a page that measures in the browser that opens it: kernels for webgpu and wasm",
    },
    ...addressOptions,
    { flags: "--once", description: "end with the first visit of the page" },
    ...fleetOptions,
    {
      flags: "--batch <folder>",
      description:
        "compile candidates for GPUs into a folder, to be measured where it is carried to; take what came back",
    },
    { flags: "--shard <number/count>", description: "only this part of the kernels, for a job of a CI matrix" },
  ],
  examples: [
    "unplugin-kernel tune",
    "unplugin-kernel tune src/gemm.op.ts --again --seconds 60",
    "unplugin-kernel tune --update src/gemm.op.ts",
    "unplugin-kernel tune --prove",
    "unplugin-kernel tune --browser",
    "unplugin-kernel tune --batch to-the-gpu",
  ],
  load: () => import("../actions/tune.ts"),
};
