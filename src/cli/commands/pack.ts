// Usage of `pack`.

import type { Command } from "../project/command.ts";

export const pack: Command = {
  usage: "pack <folder>",
  description: "Write an npm package of what was decided for the project's kernels, for other projects to use",
  options: [{ flags: "--name <package>", description: "default: that of the project, with -kernels behind it" }],
  examples: ["unplugin-kernel pack packs/tuned-kernels --name @team/tuned-kernels"],
  load: () => import("../actions/pack.ts"),
};
