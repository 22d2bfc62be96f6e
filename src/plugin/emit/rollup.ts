// Rollup and Rolldown: assets by `emitFile`, addressed through `import.meta.ROLLUP_FILE_URL_…`, dropped again if no chunk names them.

import { basename } from "node:path";
import { type EmitUrl, placeAssets } from "../binding/module/place.ts";
import { isUsers, mayCallAsync } from "./async-use.ts";
import type { HookContext, Host } from "./host.ts";

/** References of the assets of one build. */
export interface EmittedFiles {
  clear(): void;
  has(reference: string): boolean;
  /** @param folder of the output, in which files lie under their own names; null: where the host puts assets */
  emitUrl(context: HookContext, folder?: string | null): EmitUrl;
  /** Deletes unused assets: those of kernels that tree shaking has left out, and the script of workers that are never started. */
  removeUnused(bundle: Bundle, fileNameOf: (reference: string) => string): void;
}

interface Output {
  readonly type: string;
  readonly code?: string;
  readonly isEntry?: boolean;
  readonly exports?: readonly string[];
  readonly modules?: Readonly<Record<string, { readonly code: string | null }>>;
}
type Bundle = Record<string, Output>;

/**
 * Says whether a chunk may call `async`. Modules whose text the host does not show count as calling it, and so does a
 * library, whose exports others may call.
 */
const callsAsync = ({ modules = {}, isEntry, exports = [] }: Output): boolean =>
  (isEntry === true && exports.length > 0) ||
  Object.entries(modules).some(([id, { code }]) => isUsers(id) && (code === null || mayCallAsync(code)));

export function createEmittedFiles(): EmittedFiles {
  /** Whether only calls of `.async` need the file. */
  const references = new Map<string, boolean>();
  return {
    clear: () => references.clear(),
    has: (reference) => references.has(reference),
    emitUrl:
      (context, folder = null) =>
      ({ fileName, bytes, isForAsync }) => {
        // The host puts a hash of its own into the name of an asset.
        const name = fileName.replace(/-[0-9a-f]{12}\./, ".");
        const place = folder === null ? { name } : { fileName: `${folder}/${fileName}` };
        const reference = String(context.emitFile({ type: "asset", ...place, source: bytes }));
        references.set(reference, isForAsync);
        return `import.meta.ROLLUP_FILE_URL_${reference}`;
      },
    removeUnused(bundle, fileNameOf) {
      const outputs = Object.values(bundle);
      const isAsync = outputs.some(callsAsync);
      const needed = [...references].filter(([, isForAsync]) => isAsync || !isForAsync).map(([it]) => fileNameOf(it));
      const isNamed = (fileName: string): boolean => outputs.some(({ code = "" }) => code.includes(basename(fileName)));
      for (const fileName of [...references.keys()].map(fileNameOf)) {
        if (!needed.includes(fileName) || !isNamed(fileName)) delete bundle[fileName];
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
