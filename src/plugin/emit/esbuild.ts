// esbuild: content-hashed files, written beside every output that the kernel's module has ended up in.
//
// esbuild knows no emitted assets. The metafile tells which outputs hold which modules after tree shaking, so at the end
// of the build each of them gets the files it names: with splitting, `outfile`, `write: false` and entries in folders.

import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { BuildOptions, BuildResult, OutputFile, PluginBuild } from "esbuild";
import type { KernelAsset } from "../binding/asset.ts";
import { type EmitUrl, type Platform, placeAssets } from "../binding/module/place.ts";
import { isUsers, mayCallAsync } from "./async-use.ts";
import type { Host } from "./host.ts";
import { pluginName } from "./plugin-name.ts";

function platformOf({ platform }: BuildOptions): Platform {
  switch (platform) {
    case "node":
      return "node";
    case "neutral":
      return "universal";
    default:
      return "browser";
  }
}

function formatOf({ format, platform }: BuildOptions): "esm" | "cjs" | "iife" {
  if (format) return format;
  if (platform === "node") return "cjs";
  return platform === "neutral" ? "esm" : "iife";
}

/** The URL of a file beside the script, as an expression. */
function urlBeside(fileName: string, options: BuildOptions): string | null {
  const format = formatOf(options);
  if (format === "esm") return `new URL("./${fileName}", import.meta.url).href`;
  // A classic script of a browser has no reliable address of its own.
  if (platformOf(options) !== "node") return null;
  return `process.getBuiltinModule("node:url").pathToFileURL(__dirname + "/${fileName}").href`;
}

/** Says whether a bundled file of the user's calls `async`. Input that is no file cannot be read, so it counts as calling it. */
function callsAsync(input: string, cwd: string): boolean {
  const path = resolve(cwd, input);
  if (input.startsWith(`${pluginName}:`) || !isUsers(path)) return false;
  return !existsSync(path) || mayCallAsync(readFileSync(path, "utf8"));
}

const hasFolder = ({ outdir, outfile, write }: BuildOptions): boolean =>
  outdir !== undefined || outfile !== undefined || write === false;

/** Absolute path → asset, for every output that kept a kernel's module. */
function placesOf(
  result: BuildResult,
  assets: ReadonlyMap<string, readonly KernelAsset[]>,
  cwd: string,
): ReadonlyMap<string, KernelAsset> {
  const places = new Map<string, KernelAsset>();
  const { inputs = {}, outputs = {} } = result.metafile ?? {};
  // Exports of a library may be called by others.
  const isLibrary = Object.values(outputs).some(({ entryPoint, exports }) => entryPoint && exports.length > 0);
  const isAsync = isLibrary || Object.keys(inputs).some((input) => callsAsync(input, cwd));
  for (const [output, { inputs }] of Object.entries(outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      const wanted = bytesInOutput > 0 ? (assets.get(input.replace(`${pluginName}:`, "")) ?? []) : [];
      const needed = wanted.filter(({ isForAsync }) => isAsync || !isForAsync);
      for (const asset of needed) places.set(join(dirname(resolve(cwd, output)), asset.fileName), asset);
    }
  }
  return places;
}

function outputFile(path: string, { bytes, fileName }: KernelAsset): OutputFile {
  const contents = new Uint8Array(bytes);
  return { path, contents, hash: fileName, text: "" };
}

async function writeAssets(
  result: BuildResult,
  places: ReadonlyMap<string, KernelAsset>,
  write: boolean,
): Promise<void> {
  if (!write) {
    result.outputFiles?.push(...[...places].map(([path, asset]) => outputFile(path, asset)));
    return;
  }
  for (const [path, asset] of places) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, asset.bytes);
  }
}

export function esbuildHost(): Host {
  const assets = new Map<string, readonly KernelAsset[]>();
  let build: PluginBuild | null = null;
  const emitUrl =
    (id: string): EmitUrl =>
    (asset) => {
      const options = build?.initialOptions ?? {};
      const expression = hasFolder(options) ? urlBeside(asset.fileName, options) : null;
      if (expression !== null) assets.set(id, [...(assets.get(id) ?? []), asset]);
      return expression;
    };

  const folder = (): string => build?.initialOptions.absWorkingDir ?? process.cwd();
  return {
    needsMapping: true,
    begin: () => assets.clear(),
    idFolder: folder,
    async resolve(_, path, importer) {
      if (!build) return null;
      const resolveDir = importer ? dirname(importer) : folder();
      const found = await build.resolve(path, { resolveDir, kind: "import-statement" });
      return found.errors.length === 0 ? found.path : null;
    },
    mode: (_, configured) => configured,
    minifies: () => (build?.initialOptions.minify || build?.initialOptions.minifyWhitespace) ?? false,
    place(_, kernel, { path, query, settings }) {
      return placeAssets(
        kernel,
        platformOf(build?.initialOptions ?? {}),
        settings.sync,
        emitUrl(relative(folder(), path).replaceAll("\\", "/") + query),
      );
    },
    tell: (context, { message }) => context.error?.(message),
    loaded: () => {},
    hooks: {
      esbuild: {
        onResolveFilter: /[?&]tune(=|&|$)/,
        onLoadFilter: /[?&]tune(=|&|$)/,
        loader: "js",
        config(options) {
          options.metafile = true;
        },
        setup(current) {
          build = current;
          const { write } = current.initialOptions;
          current.onEnd((result) => writeAssets(result, placesOf(result, assets, folder()), write !== false));
        },
      },
    },
  };
}
