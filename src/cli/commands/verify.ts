// Usage of `verify`.

import type { Command } from "../project/command.ts";

export const verify: Command = {
  usage: "verify",
  description:
    "Check the lock: every import has its entry, entries lead to their sources, kernels compute the right numbers, and nothing else ships",
  options: [
    {
      flags: "--output <folder>",
      description: "also compare the addons and WASM modules in a build's output with what is built of the lock",
    },
    { flags: "--trust <file>", description: "JSON file with the value of option trust" },
  ],
  examples: [
    "unplugin-kernel verify",
    "unplugin-kernel verify --output dist",
    "unplugin-kernel verify --trust kernels.trust.json",
  ],
  load: () => import("../actions/verify.ts"),
};
