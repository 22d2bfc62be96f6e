// Usage of `bench`.

import { addressOptions } from "../flags/page-options.ts";
import type { Command } from "../project/command.ts";

export const bench: Command = {
  usage: "bench [...files]",
  description:
    "Measure the imported kernels against their other twins, the plain loops and peers; all results are checked",
  options: [
    { flags: "--seconds <count>", description: "for one kernel and all it is measured against (default: 3)" },
    { flags: "--peer <module>", description: "a module that gives other implementations; may be said several times" },
    { flags: "--browser", description: "serve a page that measures them in the browser that opens it, as WASM" },
    ...addressOptions,
    { flags: "--once", description: "end with the first results of the page, with 1 if one is wrong" },
  ],
  examples: [
    "unplugin-kernel bench",
    "unplugin-kernel bench src/gemm.op.ts --peer ./bench/by-hand.mjs --seconds 10",
    "unplugin-kernel bench --browser",
  ],
  load: () => import("../actions/bench.ts"),
};
