// Bun: content-hashed files, written beside every output that names them, at the end of the build.
//
// Its `emitFile` writes at once and to one folder: files of unused kernels would stay, and entries in other folders would miss theirs.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { KernelAsset } from "../binding/asset.ts";
import { type EmitUrl, type Platform, placeAssets } from "../binding/module/place.ts";
import type { Host } from "./host.ts";

/** Parts of `Bun.build`'s options and result that we use. */
interface BunConfig {
  readonly target?: string;
  readonly format?: string;
  readonly outdir?: string;
  readonly minify?: boolean | { readonly whitespace?: boolean };
}
interface BunBuild {
  readonly config?: BunConfig;
  onEnd(callback: (result: { readonly outputs: readonly { readonly path: string }[] }) => void): unknown;
}

function platformOf({ target = "browser" }: BunConfig): Platform {
  return target === "browser" ? "browser" : "node";
}

const urlBeside = (fileName: string, { format }: BunConfig): string =>
  format === "cjs"
    ? `process.getBuiltinModule("node:url").pathToFileURL(__dirname + "/${fileName}").href`
    : `new URL("./${fileName}", import.meta.url).href`;

function writeBesideUsers(
  outputs: readonly { readonly path: string }[],
  assets: ReadonlyMap<string, KernelAsset>,
): void {
  for (const { path } of outputs.filter((output) => /\.[cm]?js$/.test(output.path))) {
    const text = readFileSync(path, "utf8");
    for (const { fileName, bytes } of assets.values()) {
      if (!text.includes(fileName)) continue;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(join(dirname(path), fileName), bytes);
    }
  }
}

export function bunHost(): Host {
  const assets = new Map<string, KernelAsset>();
  let config: BunConfig = {};
  const emitUrl: EmitUrl = (asset) => {
    // Without a folder the outputs are in memory, and there is no place beside them.
    if (config.outdir === undefined) return null;
    assets.set(asset.fileName, asset);
    return urlBeside(asset.fileName, config);
  };
  return {
    begin: () => assets.clear(),
    resolve: async () => null,
    mode: (_, configured) => configured,
    minifies: () => (typeof config.minify === "object" ? config.minify.whitespace : config.minify) ?? false,
    place: (_, kernel, { settings }) => placeAssets(kernel, platformOf(config), settings.sync, emitUrl),
    loaded: () => {},
    hooks: {
      bun: {
        loader: "js",
        setup(given) {
          const build = given as unknown as BunBuild;
          config = build.config ?? {};
          build.onEnd(({ outputs }) => writeBesideUsers(outputs, assets));
        },
      },
    },
  };
}
