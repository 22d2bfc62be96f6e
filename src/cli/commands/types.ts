// Usage of `types`.

import type { Command } from "../project/command.ts";

export const types: Command = {
  usage: "types",
  description: "Write the types of all imports of kernels, before any bundle",
  options: [
    {
      flags: "--out <file>",
      description: "default: the file that was written before, else kernel-imports.d.ts in src/",
    },
    { flags: "--check", description: "write nothing; exit with 1 if the file is not as it would be" },
  ],
  examples: ["unplugin-kernel types", "unplugin-kernel types --check"],
  load: () => import("../actions/types.ts"),
};
