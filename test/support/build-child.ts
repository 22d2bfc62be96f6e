// A Rollup build of the app in argv[2], in a process of its own that a test may interrupt, or run in another environment:
// the mode is the plugin's default. The budget is longer than any test waits; argv[3] is a total of seconds.

import { join } from "node:path";
import { rollup } from "rollup";
import { kernelPlugin } from "./kernel-plugin.ts";

const root = process.argv[2]!;
const total = process.argv[3] ? { total: Number(process.argv[3]) } : {};
const options = { root, cacheDir: "store", budget: { seconds: 300, trials: 4000, ...total } } as const;
const bundle = await rollup({ input: join(root, "src/main.js"), plugins: [kernelPlugin.rollup(options)] });
await bundle.write({ dir: join(root, "out"), entryFileNames: "[name].mjs" });
await bundle.close();
