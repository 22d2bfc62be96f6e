// Usage of `inspect`.

import { inspectParts } from "../flags/inspect-parts.ts";
import type { Command } from "../project/command.ts";

export const inspect: Command = {
  usage: "inspect <import>",
  description: "Expression, space, schedule, loop nest, passes and code of a kernel",
  options: [
    { flags: "--only <part>", description: inspectParts.join(", ") },
    { flags: "--simplify", description: "the schedule without instructions that do nothing" },
  ],
  examples: [
    'unplugin-kernel inspect "./src/gemm.op.ts?tune=avx2"',
    'unplugin-kernel inspect "./src/gemm.op.ts?tune=wasm&M=64" --only code',
  ],
  load: () => import("../actions/inspect.ts"),
};
