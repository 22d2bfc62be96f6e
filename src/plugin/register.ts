// `node --import unplugin-kernel/register app.ts`: imports with `?tune=…` are kernels, without a bundler. Same lock, store and
// modes; in production, as in CI, the lock decides and nothing is measured. UNPLUGIN_KERNEL_MODE says otherwise.

import { register } from "node:module";

register("./register-hooks.js", import.meta.url);
