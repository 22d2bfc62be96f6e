// Rollup and Rolldown: assets by `emitFile`, addressed through `import.meta.ROLLUP_FILE_URL_…`, dropped again if no chunk names them.

import { basename } from "node:path";
import type { HookContext, Host } from "./host.ts";
import { type EmitUrl, placeAssets } from "./place.ts";

/** References of the assets of one build. */
export interface EmittedFiles {
  clear(): void;
  has(reference: string): boolean;
  emitUrl(context: HookContext): EmitUrl;
  /** Deletes assets that tree shaking has left without a user. */
  removeUnused(bundle: Bundle, fileNameOf: (reference: string) => string): void;
}

type Bundle = Record<string, { readonly type: string; readonly code?: string }>;

export function createEmittedFiles(): EmittedFiles {
  const references = new Set<string>();
  return {
    clear: () => references.clear(),
    has: (reference) => references.has(reference),
    emitUrl:
      (context) =>
      ({ fileName, bytes }) => {
        // The host puts a hash of its own into the name.
        const name = fileName.replace(/-[0-9a-f]{12}\./, ".");
        const reference = String(context.emitFile({ type: "asset", name, source: bytes }));
        references.add(reference);
        return `import.meta.ROLLUP_FILE_URL_${reference}`;
      },
    removeUnused(bundle, fileNameOf) {
      const code = Object.values(bundle).map((output) => output.code ?? "");
      for (const fileName of [...references].map(fileNameOf)) {
        if (!code.some((text) => text.includes(basename(fileName)))) delete bundle[fileName];
      }
    },
  };
}

export async function resolveByHost(
  context: HookContext,
  path: string,
  importer: string | undefined,
): Promise<string | null> {
  const found = await context.resolve?.(path, importer, { skipSelf: true });
  return found?.id.split("?")[0] ?? null;
}

export function rollupHost(): Host {
  const files = createEmittedFiles();
  return {
    begin: () => files.clear(),
    resolve: resolveByHost,
    mode: (_, configured) => configured,
    place: (context, kernel, { settings }) => placeAssets(kernel, "universal", settings.sync, files.emitUrl(context)),
    loaded: () => {},
    hooks: {
      rollup: {
        generateBundle(_, bundle) {
          files.removeUnused(bundle, (reference) => this.getFileName(reference));
        },
      },
      rolldown: {
        generateBundle(_, bundle) {
          files.removeUnused(bundle, (reference) => this.getFileName(reference));
        },
      },
    },
  };
}
