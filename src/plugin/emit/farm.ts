// Farm: files by `emitFile`, beside the script that names them.
//
// Farm takes `new URL("./file", import.meta.url)` for one of its own assets and rewrites it, so the address is put together in a
// way that it does not know.

import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { type EmitUrl, type Platform, placeAssets } from "../binding/module/place.ts";
import type { HookContext, Host } from "./host.ts";

/** Part of Farm's resolved configuration that we use. */
interface FarmConfig {
  readonly root?: string;
  readonly compilation?: { readonly output?: { readonly targetEnv?: string } };
}

function platformOf({ compilation }: FarmConfig): Platform {
  const target = compilation?.output?.targetEnv ?? "browser";
  if (target.startsWith("node")) return "node";
  return target.startsWith("browser") ? "browser" : "universal";
}

const emitUrl =
  (context: HookContext, emitted: Set<string>): EmitUrl =>
  ({ fileName, bytes }) => {
    emitted.add(fileName);
    context.emitFile({ type: "asset", fileName, source: bytes });
    return `((script) => new URL(${JSON.stringify(`./${fileName}`)}, script).href)(import.meta.url)`;
  };

type Resources = Readonly<Record<string, { readonly name: string; readonly bytes: readonly number[] }>>;

/**
 * Drops our resources that no script names; null: all stay. Farm panics over resources that come back with a source map among them,
 * whose kind it cannot read again, so then they stay.
 */
function usedResources(resources: Resources, ours: ReadonlySet<string>): Resources | null {
  const all = Object.entries(resources);
  const scripts = all.filter(([name]) => /\.[cm]?js$/.test(name)).map(([, { bytes }]) => Buffer.from(bytes).toString());
  const used = all.filter(([name]) => !ours.has(name) || scripts.some((text) => text.includes(name)));
  const hasSourceMap = all.some(([name]) => name.endsWith(".map"));
  return used.length === all.length || hasSourceMap ? null : Object.fromEntries(used);
}

export function farmHost(): Host {
  let platform: Platform = "browser";
  const emitted = new Set<string>();
  let root = process.cwd();
  return {
    // Farm's are relative to its root, and unplugin takes them for relative to the working directory.
    importerOf: (importer) => (existsSync(importer) ? importer : join(root, relative(process.cwd(), importer))),
    keepsSpelling: true,
    begin: () => emitted.clear(),
    resolve: async () => null,
    mode: (_, configured) => configured,
    place(context, kernel, { settings }) {
      return placeAssets(kernel, platform, settings.sync, emitUrl(context, emitted));
    },
    loaded: () => {},
    hooks: {
      farm: {
        configResolved(config: FarmConfig) {
          platform = platformOf(config);
          root = config.root ?? root;
        },
        finalizeResources: {
          executor: ({ resourcesMap }: { resourcesMap: Resources }) => usedResources(resourcesMap, emitted),
        },
      },
    },
  };
}
