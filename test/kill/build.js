// A build that others run beside and that may be killed: node build.js <app> <out> <mode>. All share the app's store and lock.

import { join } from "node:path";
import { build } from "esbuild";
import unpluginKernel from "unplugin-kernel/esbuild";

const [root, out, mode = "tune"] = process.argv.slice(2);
await build({
  entryPoints: [join(root, `src/${out}.js`)],
  bundle: true,
  platform: "node",
  format: "esm",
  outfile: join(root, out, "main.mjs"),
  logLevel: "error",
  plugins: [
    unpluginKernel({
      root,
      cacheDir: "store",
      mode: mode === "frozen" ? "frozen" : "tune",
      budget: { seconds: 20, trials: 4 },
      logLevel: "warn",
    }),
  ],
});
