// The loader of a foreign back end: the module that its runnables name → its export `loader`, imported once.

import type { RunnableLoader } from "./loader.ts";

const loaded = new Map<string, Promise<RunnableLoader>>();

export function loaderOfModule(url: string): Promise<RunnableLoader> {
  const loader = loaded.get(url) ?? importLoader(url);
  loaded.set(url, loader);
  return loader;
}

async function importLoader(url: string): Promise<RunnableLoader> {
  const { loader } = (await import(url)) as { readonly loader?: RunnableLoader };
  if (typeof loader?.load !== "function") throw new Error(`${url} has no export "loader"`);
  return loader;
}
