// Option `backends`: modules of a project → back ends that this process knows. Each is loaded once.

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { refuse } from "../../compiler/index.ts";
import type { Backend } from "../../tuner/backend/backend.ts";
import type { ResolvedOptions } from "./options.ts";

/** Modules by their path, which are loaded or on their way. */
const loaded = new Map<string, Promise<void>>();

/**
 * Makes the targets of option `backends` known: imports may name them from then on.
 *
 * @throws DiagnosticError `options.bad-value`, `backend.taken`
 */
export async function loadBackends({ root, backends }: Pick<ResolvedOptions, "root" | "backends">): Promise<void> {
  if (backends.length === 0) return;
  const { resolve } = createRequire(join(root, "package.json"));
  for (const name of backends) {
    let path = "";
    try {
      path = resolve(name);
    } catch {
      throw bad(name, `is not found from ${root}`);
    }
    const loading = loaded.get(path) ?? load(name, path);
    loaded.set(path, loading);
    await loading;
  }
}

async function load(name: string, path: string): Promise<void> {
  const module: { readonly backend?: unknown } = await import(pathToFileURL(path).href);
  const { backend } = module;
  if (!isBackend(backend)) throw bad(name, 'has no back end as its export "backend"');
  const { useBackend } = await import("../../tuner/backend/backend.ts");
  useBackend(backend);
}

const parts: readonly (keyof Backend)[] = ["name", "targets", "generator", "space", "model", "executor"];

const isBackend = (value: unknown): value is Backend =>
  typeof value === "object" && value !== null && parts.every((part) => part in value);

const bad = (name: string, why: string) =>
  refuse("options.bad-value", `option backends: ${name} ${why}`, "name a JavaScript module: docs/adding/backend.md");
