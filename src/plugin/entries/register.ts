// `node --import unplugin-kernel/register app.ts`, `bun --preload unplugin-kernel/register app.ts`, `deno run --preload …`: imports with
// `?tune=…` are kernels, without a bundler. Same lock, store and modes; in production, as in CI, the lock decides and nothing is measured.
// UNPLUGIN_KERNEL_MODE says otherwise. `require` of a kernel works, too.

import module from "node:module";
import { checkVersion, mendRequire } from "../program/register-deno.ts";
import { hookImports, type RegisterHooks } from "../program/register-imports.ts";
import { hookRequire } from "../program/register-require.ts";

/** Part of Bun that we use. Its loader takes plugins, and not Node's hooks. */
interface Bun {
  plugin(plugin: unknown): unknown;
}

interface Deno {
  readonly version: { readonly deno: string };
}

const { Bun: bun, Deno: deno } = globalThis as { readonly Bun?: Bun; readonly Deno?: Deno };
const { registerHooks } = module as { readonly registerHooks?: RegisterHooks };

if (bun) {
  const [{ default: kernel }, { modeOfProgram }] = await Promise.all([
    import("./bun.ts"),
    import("../options/options.ts"),
  ]);
  bun.plugin(kernel({ mode: modeOfProgram() }));
} else {
  if (deno) checkVersion(deno.version.deno);
  if (registerHooks) hookImports(registerHooks);
  else module.register("./register-hooks.js", import.meta.url);
  if (deno && registerHooks) mendRequire(registerHooks);
  hookRequire();
}
