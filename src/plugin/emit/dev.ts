// Vite's dev server: the predicted schedule answers at once, tuning goes on behind it, and the module is then replaced.

import { basename } from "node:path";
import type { KernelAsset } from "../binding/asset.ts";
import type { CompiledKernel } from "../kernel/compiled-kernel.ts";
import type { ParsedRequest } from "../request/request.ts";
import type { Session } from "../session/session.ts";
import { createDevFiles, type DevConfig, type Middleware } from "./dev-files.ts";
import { createDevVisits } from "./dev-visits.ts";
import type { ViteEnvironment } from "./host.ts";

interface ModuleGraph {
  getModuleById(id: string): object | undefined;
  invalidateModule(module: object): void;
}

/** Part of Vite's `ViteDevServer` that we use. */
export interface DevServerHost {
  readonly config: DevConfig;
  readonly environments: Readonly<
    Record<string, { readonly moduleGraph: ModuleGraph; reloadModule(module: object): Promise<void> }>
  >;
  readonly middlewares: { use(handler: Middleware): unknown };
}

export interface DevServer {
  attach(server: DevServerHost): void;
  /** Called when the server with this configuration is closed: tuning stops, unless it goes on with another one. */
  detach(config: object): void;
  /** Returns the path of the page that has its browser measure a kernel, as pages with its module open it. */
  measurePage(request: ParsedRequest): string;
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
  const tuned = new Map<string, CompiledKernel>();
  /** Kernels that are being tuned, and whether their sources have changed since. */
  const tuning = new Map<string, { readonly watchFiles: readonly string[]; stale: boolean }>();
  const broken = new Set<string>();
  let server: DevServerHost | null = null;

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
    const isBetter = kernel.trace !== predicted.trace || (kernel.gpuVariants ?? []).length > 0;
    if (isBetter && server) await reload(server, id);
  };

  /** Gives a kernel's module the decisions that a page has brought. */
  const renew = async (request: ParsedRequest): Promise<void> => {
    const id = idOf(request);
    tuned.set(id, await session.compile(request, "tune"));
    if (server) await reload(server, id);
  };
  const visits = createDevVisits(session, (request) => {
    renew(request).catch((error: Error) => session.log().warn(`${request.path}: ${error.message}`));
  });
  const files = createDevFiles(() => server?.config, visits);

  return {
    attach(host) {
      server = host;
      host.middlewares.use(files.answer);
      session.tuneInBackground();
    },
    detach(config) {
      if (server?.config !== config) return;
      server = null;
      session.close();
    },
    serve: files.serve,
    measurePage: (request) => visits.pageFor(request, files.folder()),
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
