// An operator file and what it imports → one script. Taken from the store where no file of it has changed: starting the
// bundler takes longer than all else of a build that finds its kernels.

import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { sha256 } from "../../compiler/index.ts";
import { canonicalJson } from "../../tuner/data/key.ts";
import { type Blobs, blobsAt, putBlobs, textBlob, textOf } from "../../tuner/store/blobs.ts";
import type { Store } from "../../tuner/store/store.ts";
import type { Bundle, BundleInputs } from "./bundle-with-esbuild.ts";
import { guardConditions, type Insertion } from "./guard-conditions.ts";

/** A bundle with the checks that its code gets before it runs. */
export interface GuardedBundle extends Bundle {
  readonly guards: readonly Insertion[];
}

export interface BundleOptions {
  readonly root: string;
  readonly store: Store | null;
  /** Modules that are not bundled. */
  readonly external: readonly string[];
  /** Called with the files that were read where they make no bundle. */
  readonly onFiles?: ((files: readonly string[]) => void) | undefined;
}

/** @throws DiagnosticError `op.not-found`, `op.syntax` */
export async function bundleOf(
  file: string,
  { root, store, external, onFiles }: BundleOptions,
): Promise<GuardedBundle> {
  const key = store && keyOf(file);
  const known = key && (await storedBundle(store, key, dirname(file)));
  if (known) return known;
  const { bundleWithEsbuild } = await import("./bundle-with-esbuild.ts");
  const { bundle: made, inputs } = await bundleWithEsbuild(file, { root, external, onFiles });
  const bundle = { ...made, guards: await guardConditions(made.code) };
  // A store that cannot be written will say so when there is a kernel to be kept.
  if (key && inputs) await putBlobs(store, key, blobsOf(bundle, inputs));
  return bundle;
}

/** Version of the way in which bundles are made: raise it with every change. */
const bundleVersion = 2;

/** Key of a file's bundle; null: the file cannot be read, and the bundler will say so. */
function keyOf(file: string): string | null {
  const source = digestOfFile(file);
  return source && sha256(canonicalJson({ key: "bundle", version: bundleVersion, name: basename(file), source }));
}

/** Digest of a file; null: it cannot be read. */
function digestOfFile(file: string): string | null {
  try {
    return sha256(readFileSync(file));
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return null;
  }
}

const blobsOf = ({ code, map, guards }: GuardedBundle, inputs: BundleInputs): Blobs => ({
  code: textBlob(code),
  map: textBlob(map),
  guards: textBlob(JSON.stringify(guards)),
  inputs: textBlob(JSON.stringify(inputs)),
});

/** Bundle from the store; null: there is none, or a file that went into it is no longer the same. */
async function storedBundle(store: Store, key: string, folder: string): Promise<GuardedBundle | null> {
  const blobs = await blobsAt(store, key);
  if (!blobs?.code || !blobs.map || !blobs.guards || !blobs.inputs) return null;
  const inputs = Object.entries(JSON.parse(textOf(blobs.inputs)) as BundleInputs);
  const files = inputs.map(([path]) => resolve(folder, path));
  if (inputs.some(([, digest], at) => digest !== digestOfFile(files[at]!))) return null;
  const guards = JSON.parse(textOf(blobs.guards)) as readonly Insertion[];
  return { code: textOf(blobs.code), map: textOf(blobs.map), guards, files };
}
