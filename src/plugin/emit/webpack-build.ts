// Parts of the compiler and the build of webpack and Rspack that we use.

import type { Buffer } from "node:buffer";

/** Part of the compiler of webpack and Rspack that we use. */
export interface WebpackCompiler {
  readonly context: string;
  readonly options: {
    /** Platforms that the option `target` stands for. */
    readonly externalsPresets?: { readonly node?: boolean; readonly web?: boolean };
    readonly optimization?: { readonly minimize?: boolean };
  };
  /** Rspack's own, absent in webpack. */
  readonly rspack?: { readonly experiments: { readonly VirtualModulesPlugin?: unknown } };
  readonly resolverFactory: { get(type: "normal", options: { readonly dependencyType: "esm" }): Resolver };
}

interface Resolver {
  resolve(
    context: object,
    folder: string,
    request: string,
    resolveContext: object,
    callback: (error: Error | null, file?: string | false) => void,
  ): void;
}

/** `this` of a loader, in hooks that run in one. */
export interface LoaderContext {
  emitFile(name: string, content: Buffer, sourceMap: undefined, info: AssetInfo): void;
}

/** Notes on a file that we emit. The bundler keeps them with the file, in its cache too. */
export type AssetInfo = { readonly [isOurs]?: true; readonly isForAsync?: boolean; readonly minimized?: true };
export const isOurs = "unplugin-kernel";

export interface Asset {
  readonly name: string;
  readonly info: AssetInfo;
  readonly source: { source(): string | Buffer };
}

export interface BundledModule {
  readonly resource?: string;
  /** Modules that were concatenated into this one. */
  readonly modules?: Iterable<BundledModule>;
  /** Source after all loaders; null where it came from a cache. */
  originalSource?(): { source(): string | Buffer } | null;
}

/** One build of a compiler. */
export interface WebpackCompilation {
  readonly hooks: {
    readonly processAssets: { tap(options: { readonly name: string; readonly stage: number }, tap: () => void): void };
  };
  readonly modules: Iterable<BundledModule>;
  readonly outputOptions?: { readonly library?: unknown };
  getAssets(): readonly Asset[];
  deleteAsset(name: string): void;
}
