// Nitro, the server of Nuxt: a build by Rollup for Node, with files in `kernels/` of its output.
//
// Nitro replaces `import.meta` in code by a variable of its own, which knows no chunk's address: Rollup's
// `import.meta.ROLLUP_FILE_URL_…` is lost there. The code therefore has a mark for each file, and an address in its place
// when all other plugins are done with the chunk.
//
// Nitro bundles the pages that Vite has built for the server once more, and knows nothing of the files beside them: files of kernels that
// their code names are taken along.

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, posix, resolve } from "node:path";
import { type EmitUrl, placeAssets } from "../binding/module/place.ts";
import { besideChunk, serverFolder } from "./beside-chunk.ts";
import type { HookContext, Host } from "./host.ts";
import { resolveByHost } from "./rollup.ts";

/** Mark of a file in code, until the place of its chunk is known: text that no plugin takes for something else. */
const markOf = (fileName: string): string => `__unplugin_kernel_file__(${JSON.stringify(fileName)})`;
const mark = /__unplugin_kernel_file__\((["'])([^"']+)\1\)/g;

/** Address of a kernel's file in a server bundle of Vite's, as the Vite host and its minifiers write it. */
const addressInBundle =
  /\bnew URL\(\s*(["'`])((?:\.\.?\/)*(?:[\w.-]+\/)*kernels\/[^"'`/]+-[0-9a-f]{12}\.(?:node|wasm))\1,\s*import\.meta\.url\)\.href/g;

/** Emits a file under its name in the bundle, and returns its mark. */
type Emit = (name: string, bytes: () => Uint8Array) => string;

/** Code of a bundled module, with the marks of the files that it names. */
const takeAlong = (code: string, id: string, emit: Emit): string =>
  code.replace(addressInBundle, (address, _quote, path: string) => {
    const file = resolve(dirname(id), path);
    return existsSync(file) ? emit(basename(file), () => readFileSync(file)) : address;
  });

/** Code of a chunk, with the addresses of files in place of their marks. */
const withAddresses = (code: string, chunk: string, format: string): string =>
  code.replace(mark, (_mark, _quote, fileName: string) =>
    besideChunk(posix.relative(posix.dirname(chunk), fileName), format),
  );

/** Result of a hook: null where the code stays as it is. Marks and addresses stand in one line, so source maps hold. */
const changed = (code: string, before: string) => (code === before ? null : { code, map: null });

export function nitroHost(): Host {
  const emitted = new Set<string>();
  const emitBy =
    ({ emitFile }: Pick<HookContext, "emitFile">): Emit =>
    (name, bytes) => {
      const fileName = `${serverFolder}/${name}`;
      if (!emitted.has(fileName)) emitFile({ type: "asset", fileName, source: bytes() });
      emitted.add(fileName);
      return markOf(fileName);
    };
  return {
    begin: () => emitted.clear(),
    resolve: resolveByHost,
    mode: (_, configured) => configured,
    place(context, kernel, { settings }) {
      const emit = emitBy(context);
      const emitUrl: EmitUrl = ({ fileName, bytes }) => emit(fileName, () => bytes);
      return placeAssets(kernel, "node", settings.sync, emitUrl);
    },
    loaded: () => {},
    hooks: {
      rollup: {
        transform(code, id) {
          return changed(takeAlong(code, id, emitBy(this as HookContext)), code);
        },
        renderChunk: {
          order: "post",
          handler(code, { fileName }, { format }) {
            return changed(withAddresses(code, fileName, format), code);
          },
        },
        generateBundle(_, bundle) {
          const chunks = Object.values(bundle).flatMap((output) => (output.type === "chunk" ? [output.code] : []));
          const isNamed = (fileName: string): boolean => chunks.some((code) => code.includes(basename(fileName)));
          for (const fileName of emitted) if (!isNamed(fileName)) delete bundle[fileName];
        },
      },
    },
  };
}
