// `import kernel from "unplugin-kernel"`: the plugins of all bundlers, `kernel.vite()` and its like.

import bun from "./bun.ts";
import esbuild from "./esbuild.ts";
import farm from "./farm.ts";
import rolldown from "./rolldown.ts";
import rollup from "./rollup.ts";
import rsbuild from "./rsbuild.ts";
import rspack from "./rspack.ts";
import vite from "./vite.ts";
import webpack from "./webpack.ts";

/** @example export default defineConfig({ plugins: [kernel.vite()] }); */
const kernel = { bun, esbuild, farm, rolldown, rollup, rsbuild, rspack, vite, webpack };
export default kernel;
export type * from "../options/types.ts";
