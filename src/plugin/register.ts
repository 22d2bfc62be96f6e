// `node --import unplugin-kernel/register app.ts`, `bun --preload unplugin-kernel/register app.ts`: imports with `?tune=…` are kernels,
// without a bundler. Same lock, store and modes; in production, as in CI, the lock decides and nothing is measured. UNPLUGIN_KERNEL_MODE
// says otherwise. `require` of a kernel works, too.

import { register } from "node:module";
import { hookRequire } from "./register-require.ts";

/** Part of Bun that we use. Its loader takes plugins, and not Node's hooks. */
interface Bun {
  plugin(plugin: unknown): unknown;
}

const { Bun: bun, Deno: deno } = globalThis as { readonly Bun?: Bun; readonly Deno?: object };

// Deno's register() does nothing, and its hooks do not wait for promises.
if (deno) throw new Error("unplugin-kernel/register is for Node and Bun: Deno runs what a bundler has built");

if (bun) {
  const [{ default: kernel }, { modeOfProgram }] = await Promise.all([import("./bun.ts"), import("./options.ts")]);
  bun.plugin(kernel({ mode: modeOfProgram() }));
} else {
  register("./register-hooks.js", import.meta.url);
  hookRequire();
}
