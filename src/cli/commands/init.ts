// Usage of `init`.

import { hostNames } from "../init/hosts.ts";
import type { Command } from "../project/command.ts";

export const init: Command = {
  usage: "init",
  description:
    "Wire a project: the plugin in the configuration of its bundler or framework, imports, types, a script, an operator to begin with",
  options: [
    {
      flags: "--host <name>",
      description: `bundler, framework or run time, where it cannot be told: ${hostNames.join(", ")}`,
    },
    { flags: "--dry-run", description: "change nothing, say what would be changed" },
  ],
  examples: ["unplugin-kernel init", "unplugin-kernel init --dry-run --host webpack"],
  load: () => import("../actions/init.ts"),
};
