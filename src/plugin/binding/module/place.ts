// Chooses the binaries that a platform gets of a kernel, and their form: the part of emission that is the same for all
// hosts.

import { DiagnosticError } from "../../../compiler/index.ts";
import type { CompiledKernel } from "../../kernel/compiled-kernel.ts";
import { twinOf } from "../../kernel/twin.ts";
import {
  type AssetReference,
  type AssetReferences,
  type KernelAsset,
  type ModuleReferences,
  type WorkerReference,
  workerAsset,
} from "../asset.ts";
import { bindingOf } from "../twin/index.ts";

/** Platform that the bundle runs on; `universal`: not known, so the module finds out when it runs. */
export type Platform = "node" | "browser" | "universal";

/**
 * Most bytes of WASM (both twins) that go into the code of a page's module, so that the first call need not wait. Kernels have 2–20 KB;
 * engines compile up to 8 MB synchronously (Chrome's limit on the main thread).
 */
export const inlineBytes: number = 64 * 1024;

/** Emits one binary and returns a JavaScript expression for its URL; null: this host has no way to. */
export type EmitUrl = (asset: KernelAsset) => string | null;

/**
 * Says whether WASM becomes part of the code. On servers it does, whatever its size: no page waits for its bytes there, and what copies a
 * server may miss a file beside the code.
 */
const isInline = (sync: boolean | null, wasmBytes: number, platform: Platform): boolean =>
  sync ?? (platform === "node" || wasmBytes <= inlineBytes);

/**
 * Expression of a URL that tracers find: Vercel's `@vercel/nft`, which copies a server's files by reading its code, sees the address that a
 * call takes, and overlooks one that a function returns.
 */
const traceable = (url: string, platform: Platform): string => (platform === "browser" ? url : `String(${url})`);

function refuseBrowser(kernel: CompiledKernel): never {
  throw new DiagnosticError({
    code: "target.not-in-browser",
    message: `${kernel.op} is wanted as ${kernel.target} only (fallback=none), and this build is for a browser`,
    loc: null,
    hint: "drop fallback=none, or import it with ?tune=wasm",
    detail: null,
  });
}

/**
 * A page's policy may allow workers from files of its origin alone, and `&sync` has all in the code.
 */
function placeWorker(
  kernel: CompiledKernel,
  platform: Platform,
  sync: boolean | null,
  emitUrl: EmitUrl,
): WorkerReference | null {
  const twin = twinOf(kernel, "wasm");
  if (!twin) return null;
  const url = platform === "node" || sync ? null : emitUrl(workerAsset(twin));
  return { text: platform !== "browser" || url === null, url };
}

/**
 * Decides and emits: addons go by URL and never to browsers; WASM modules go into the code on servers and if they are small, else they are
 * files, unless the import says `&sync` or `&sync=0`; the script of workers is a file for browsers.
 *
 * @throws DiagnosticError `target.not-in-browser`.
 */
export function placeAssets(
  kernel: CompiledKernel,
  platform: Platform,
  sync: boolean | null,
  emitUrl: EmitUrl,
): AssetReferences {
  const bindings = kernel.twins.map(bindingOf);
  if (platform === "browser" && !bindings.some(({ runsInBrowsers }) => runsInBrowsers)) refuseBrowser(kernel);
  const assets = kernel.twins.flatMap((twin, at) => bindings[at]!.assets(twin, kernel.op));
  const ofEngines = (kernel.variants ?? []).map(
    ({ engine, twin }) => [engine, bindingOf(twin).assets(twin, kernel.op)] as const,
  );
  const wasmBytes = [...assets, ...ofEngines.flatMap(([, own]) => own)].reduce(
    (sum, { role, bytes }) => sum + (role === "native" ? 0 : bytes.length),
    0,
  );
  const inline = isInline(sync, wasmBytes, platform);
  const urlOf = (asset: KernelAsset): AssetReference | null => {
    const expression = emitUrl(asset);
    return expression === null ? null : { kind: "url", expression: traceable(expression, platform) };
  };
  const addons = platform === "browser" ? [] : assets.filter(({ role }) => role === "native");
  const native = addons.flatMap((addon): [string, AssetReference][] => {
    const url = urlOf(addon);
    return url ? [[addon.platform!, url]] : [];
  });
  const place = (asset: KernelAsset | undefined): AssetReference | null =>
    asset ? ((inline ? null : urlOf(asset)) ?? { kind: "inline", bytes: asset.bytes }) : null;
  const modulesOf = (own: readonly KernelAsset[]): ModuleReferences => ({
    relaxed: place(own.find(({ role }) => role === "relaxed")),
    wasm: place(own.find(({ role }) => role === "wasm")),
  });
  const engines = ofEngines.map(([engine, own]) => [engine, modulesOf(own)] as const);
  const worker = placeWorker(kernel, platform, sync, emitUrl);
  return {
    native: Object.fromEntries(native),
    ...modulesOf(assets),
    ...(engines.length > 0 && { engines: Object.fromEntries(engines) }),
    worker,
    ...(platform === "browser" && { isForBrowsers: true }),
  };
}
