// Usage of `doctor`.

import type { Command } from "../project/command.ts";

export const doctor: Command = {
  usage: "doctor",
  description: "What this machine and this project have, and what each target can do here",
  options: [],
  examples: ["unplugin-kernel doctor", "unplugin-kernel doctor --json"],
  load: () => import("../actions/doctor.ts"),
};
