// The loader of a foreign back end: the module that its runnables name → its export `loader`, imported once.

import type { Loader } from "./loader.ts";

const loaded = new Map<string, Promise<Loader>>();

export function loaderOfModule(url: string): Promise<Loader> {
  const loader = loaded.get(url) ?? importLoader(url);
  loaded.set(url, loader);
  return loader;
}

async function importLoader(url: string): Promise<Loader> {
  const { loader } = (await import(url)) as { readonly loader?: Loader };
  if (typeof loader?.load !== "function") throw new Error(`${url} has no export "loader"`);
  return loader;
}
