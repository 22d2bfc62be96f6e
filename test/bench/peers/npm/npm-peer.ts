// Libraries of npm: each is a package that is looked for under out/peers, called as its users call it.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { KernelArray } from "../../../../src/native/runner/protocol.ts";
import type { PeerCall } from "../work.ts";

export interface NpmPeer {
  readonly name: string;
  readonly version: string;
  /** Makes a call ready, with the inputs where the library has its own. Null: it has no such call. */
  open(call: PeerCall, inputs: readonly KernelArray[]): Promise<NpmCall | null>;
}

export interface NpmCall {
  /** Computes the result once more. A promise is kept when it is there. */
  run(): undefined | Promise<unknown>;
  /** Result of the last run, in our operator's layout. */
  result(): Promise<KernelArray>;
  close(): void;
}

/** The folder that the packages are installed in: they are no part of the project. */
const folder = resolve("out/peers");

export interface Package {
  readonly name: string;
  readonly version: string;
  /** Path of a file in the package. */
  path(file: string): string;
  /** Its exports. */
  load(): Promise<Record<string, unknown>>;
}

/** Null: it is not installed. */
export function findPackage(name: string): Package | null {
  const path = (file: string): string => join(folder, "node_modules", name, file);
  if (!existsSync(path("package.json"))) return null;
  const { version } = JSON.parse(readFileSync(path("package.json"), "utf8")) as { readonly version: string };
  return { name, version, path, load: () => imported(name) };
}

/** Command that installs packages. Without the variable onnxruntime-node would fetch libraries for GPUs from elsewhere. */
export const remedyFor = (names: readonly string[]): string =>
  `ONNXRUNTIME_NODE_INSTALL=skip npm install --prefix out/peers ${names.join(" ")}`;

/** A name is looked up from the file that imports it, so one in that folder does. */
async function imported(name: string): Promise<Record<string, unknown>> {
  mkdirSync(folder, { recursive: true });
  const loader = join(folder, "load.mjs");
  writeFileSync(loader, "export const load = (name) => import(name);\n");
  const { load } = (await import(pathToFileURL(loader).href)) as {
    readonly load: (name: string) => Promise<Record<string, unknown>>;
  };
  return load(name);
}
