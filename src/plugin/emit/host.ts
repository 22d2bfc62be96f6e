// Interface of a bundler's way of emitting files, as the rest of the plugin sees it.

import type { UnpluginOptions } from "unplugin";
import type { DiagnosticError } from "../../compiler/index.ts";
import type { AssetReferences } from "../binding/asset.ts";
import type { CompiledKernel } from "../kernel/compiled-kernel.ts";
import type { RequestMode } from "../kernel/kernel-request.ts";
import type { Mode } from "../options/types.ts";
import type { ParsedRequest } from "../request/request.ts";
import type { LoaderContext, WebpackCompilation, WebpackCompiler } from "./webpack-build.ts";

/** The parts of the hosts' hook contexts that unplugin's type leaves out. Each is there in some hosts only. */
export interface HookContext {
  addWatchFile(file: string): void;
  /** Emits a file; Rollup and its like return a reference, others nothing. */
  emitFile(file: { type: "asset"; name?: string; fileName?: string; source: Uint8Array }): unknown;
  /** Tells of a mistake, in esbuild. */
  error?(message: string): void;
  /** Resolves an import, in Rollup and its like. */
  resolve?(source: string, importer?: string, options?: { skipSelf?: boolean }): Promise<{ id: string } | null>;
  /** Environment of Vite. */
  readonly environment?: ViteEnvironment;
  /** Context of webpack and its like. */
  getNativeBuildContext?(): {
    readonly compiler?: WebpackCompiler;
    readonly compilation?: WebpackCompilation;
    readonly loaderContext?: LoaderContext;
  };
}

interface ViteLibrary {
  readonly entry: string | readonly string[] | Readonly<Record<string, string>>;
  readonly formats?: readonly string[];
}

export interface ViteEnvironment {
  readonly name: string;
  readonly mode: string;
  readonly config: {
    readonly consumer: "client" | "server";
    readonly build: { readonly lib?: ViteLibrary | false; readonly minify?: boolean | string };
    readonly resolve?: { readonly conditions?: readonly string[] };
  };
  /** Returns the configuration of the server or build that the environment is a part of. */
  getTopLevelConfig(): object;
  /** Resolves when the modules that a page imports have been loaded, but for the one with this id. */
  waitForRequestsIdle?(id: string): Promise<void>;
}

/** One host in one plugin instance. */
export interface Host {
  /** Called when a build starts: what was emitted before no longer counts. */
  begin(context: HookContext): void;
  /** The importing file, where the host tells another. */
  importerOf?(importer: string): string;
  /** Resolves what is neither relative nor absolute: aliases, packages, `#imports`. */
  resolve(context: HookContext, path: string, importer: string | undefined): Promise<string | null>;
  /** Mode of the first answer, if it is not that of the options (a dev server's). */
  mode(context: HookContext, configured: Mode): RequestMode;
  place(context: HookContext, kernel: CompiledKernel, request: ParsedRequest): AssetReferences;
  /**
   * Folder that the ids of modules are relative to, where the host writes them into its output: no path of the building machine gets there.
   * Absent: ids are absolute.
   */
  idFolder?(context: HookContext): string;
  /**
   * Folder that the modules are in, where the host makes names of what they import: no path of the building machine gets there. Absent: modules
   * import absolute paths.
   */
  moduleFolder?(context: HookContext): string | null;
  /** Whether a module keeps the query of its import in any resolved id. */
  readonly keepsSpelling?: true;
  /** Whether the host takes a source map without mappings for none, and puts the text of the module into its own map. */
  readonly needsMapping?: true;
  /** Marks at which the host cuts the path of a module; default: `?`, where its query begins. */
  readonly cutsPathsAt?: string;
  /** Whether the host makes its output as small as it can. Absent: it does not tell. */
  minifies?(context: HookContext): boolean;
  /** Whether modules are replaced while they run. */
  isHot?(context: HookContext): boolean;
  /** Path of a page that the module has its page open, so that its browser measures the kernel; null: none does. */
  measurePage?(context: HookContext, kernel: CompiledKernel, request: ParsedRequest): string | null;
  /**
   * Tells the host of a mistake, where it would forget the watched files of a hook that throws; the module is empty then. Absent: the hook
   * throws.
   */
  tell?(context: HookContext, mistake: DiagnosticError): void;
  /** Called where a kernel gets no module, as its operator has a mistake. */
  failed?(context: HookContext, request: ParsedRequest): void;
  /** Called after the module of a kernel has been made. */
  loaded(context: HookContext, kernel: CompiledKernel, request: ParsedRequest): void;
  /** Hooks of this host alone. */
  readonly hooks: Pick<
    UnpluginOptions,
    "rollup" | "rolldown" | "vite" | "esbuild" | "webpack" | "rspack" | "rsbuild" | "farm" | "bun"
  >;
}
