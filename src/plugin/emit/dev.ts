// Vite's dev server: the predicted schedule answers at once, tuning goes on behind it, and the module is then replaced.

import { basename } from "node:path";
import type { KernelAsset } from "../binding/asset.ts";
import type { CompiledKernel } from "../kernel/compiled-kernel.ts";
import type { ParsedRequest } from "../request/request.ts";
import type { Session } from "../session/session.ts";
import type { ViteEnvironment } from "./host.ts";

interface ModuleGraph {
  getModuleById(id: string): object | undefined;
  invalidateModule(module: object): void;
}

/** Part of Vite's `ViteDevServer` that we use. */
export interface DevServerHost {
  readonly config: {
    readonly base: string;
    readonly server: { readonly hmr?: unknown; readonly headers?: Readonly<Record<string, HeaderValue>> };
  };
  readonly environments: Readonly<
    Record<string, { readonly moduleGraph: ModuleGraph; reloadModule(module: object): Promise<void> }>
  >;
  readonly middlewares: { use(handler: Middleware): unknown };
}

type HeaderValue = string | number | readonly string[] | undefined;

interface Response {
  setHeader(name: string, value: string | number | readonly string[]): unknown;
  end(body: Uint8Array): unknown;
}
export type Middleware = (request: { readonly url?: string }, response: Response, next: () => void) => void;

export interface DevServer {
  attach(server: DevServerHost): void;
  /** Called when the server with this configuration is closed: tuning stops, unless it goes on with another one. */
  detach(config: object): void;
  /** Makes a file available to browsers; returns its path on the dev server. */
  serve(asset: KernelAsset): string;
  /**
   * Tunes what was answered with a prediction when the page that asked for it has its modules, then has the module loaded again in
   * every environment.
   */
  improve(request: ParsedRequest, predicted: CompiledKernel, environment: ViteEnvironment | undefined): void;
  /** The tuned kernel, if the tuning behind an earlier answer has come to its end. */
  improved(request: ParsedRequest): CompiledKernel | undefined;
  /** Notes that the kernel's operator has a mistake, or none any more. */
  failed(request: ParsedRequest): void;
  healed(request: ParsedRequest): void;
  /** Ids of the kernels whose operators have mistakes: a change of any file may mend them. */
  broken(): readonly string[];
  /** Forgets the kernels that a file is part of. */
  changed(file: string): void;
}

/** Folder of assets, below the base path of the dev server. */
const devFolder = "@unplugin-kernel/";

const contentTypes = { wasm: "application/wasm", js: "text/javascript" } as const;

const idOf = ({ path, query }: ParsedRequest): string => path + query;

async function reload(server: DevServerHost, id: string): Promise<void> {
  for (const environment of Object.values(server.environments)) {
    const module = environment.moduleGraph.getModuleById(id);
    if (!module) continue;
    // Without hot module replacement the page is not told: it gets the new kernel when it next loads the module.
    if (server.config.server.hmr === false) environment.moduleGraph.invalidateModule(module);
    else await environment.reloadModule(module);
  }
}

export function createDevServer(session: Session): DevServer {
  const served = new Map<string, Uint8Array>();
  const tuned = new Map<string, CompiledKernel>();
  /** Kernels that are being tuned, and whether their sources have changed since. */
  const tuning = new Map<string, { readonly watchFiles: readonly string[]; stale: boolean }>();
  const broken = new Set<string>();
  let server: DevServerHost | null = null;

  const answer: Middleware = ({ url = "" }, response, next) => {
    const [, name = ""] = url.split("?")[0]!.split(`/${devFolder}`);
    const bytes = served.get(name);
    if (!bytes) return next();
    // The user's own headers are sent too: an isolated page takes a worker's script only with a policy as its own.
    for (const [header, value] of Object.entries(server?.config.server.headers ?? {})) {
      if (value !== undefined) response.setHeader(header, value);
    }
    response.setHeader("Content-Type", contentTypes[name.endsWith(".js") ? "js" : "wasm"]);
    // The name is a hash of the bytes.
    response.setHeader("Cache-Control", "max-age=31536000, immutable");
    response.end(bytes);
  };

  const tune = async (
    request: ParsedRequest,
    predicted: CompiledKernel,
    environment: ViteEnvironment | undefined,
  ): Promise<void> => {
    const id = idOf(request);
    const state = { watchFiles: predicted.watchFiles, stale: false };
    tuning.set(id, state);
    await environment?.waitForRequestsIdle?.(id);
    if (server === null) return;
    let kernel: CompiledKernel | null;
    do {
      state.stale = false;
      kernel = await session.compile(request, "tune").catch((error: unknown) => {
        if (state.stale) return null;
        throw error;
      });
    } while (state.stale || !kernel);
    tuned.set(id, kernel);
    session.log().info(`${basename(request.path)}${request.query}: ${kernel.gflops?.toFixed(1) ?? "?"} GFLOP/s`);
    if (kernel.trace !== predicted.trace && server) await reload(server, id);
  };

  return {
    attach(host) {
      server = host;
      host.middlewares.use(answer);
      session.tuneInBackground();
    },
    detach(config) {
      if (server?.config !== config) return;
      server = null;
      session.close();
    },
    serve(asset) {
      served.set(asset.fileName, asset.bytes);
      return `${server?.config.base ?? "/"}${devFolder}${asset.fileName}`;
    },
    improve(request, predicted, environment) {
      const id = idOf(request);
      if (tuning.has(id) || server === null) return;
      tune(request, predicted, environment)
        .catch((error: Error) => {
          if (server !== null) session.log().warn(`${request.path}: not tuned: ${error.message}`);
        })
        .finally(() => tuning.delete(id));
    },
    failed: (request) => void broken.add(idOf(request)),
    healed: (request) => void broken.delete(idOf(request)),
    broken: () => [...broken],
    improved: (request) => tuned.get(idOf(request)),
    changed(file) {
      for (const [id, kernel] of tuned) if (kernel.watchFiles.includes(file)) tuned.delete(id);
      for (const state of tuning.values()) state.stale ||= state.watchFiles.includes(file);
    },
  };
}
