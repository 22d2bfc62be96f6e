// Flags of the project that a command works on.

import type { CommandOption } from "./flags.ts";

/** Options that every command takes. They mean the same as the plugin's options of these names. */
export const projectOptions: readonly CommandOption[] = [
  { flags: "--root <folder>", description: "the project (default: the working directory)" },
  { flags: "--lockfile <file>", description: "default: kernels.lock.json" },
  { flags: "--cache-dir <folder>", description: "default: node_modules/.cache/unplugin-kernel" },
  {
    flags: "--include <glob>",
    description: "which files are operators, over absolute paths (default: *.op.ts and its like)",
  },
  { flags: "--backend <module>", description: "a back end of one's own, as in option backends; may be given again" },
  { flags: "--engines <list>", description: "classes of WASM engines, as in option engines: x86,arm (default: none)" },
  { flags: "--numerics <kind>", description: "fast or strict, as in the plugin's options (default: fast)" },
];
