// Files of kernels on a dev server, from memory, in a folder of their own below the base path, and what pages that measure ask there.

import type { IncomingMessage, ServerResponse } from "../../native/network/pipe.ts";
import type { KernelAsset } from "../binding/asset.ts";
import type { DevVisits } from "./dev-visits.ts";

/** Part of Vite's configuration that we use. */
export interface DevConfig {
  readonly base: string;
  readonly server: {
    readonly hmr?: unknown;
    readonly host?: unknown;
    readonly https?: unknown;
    readonly headers?: Readonly<Record<string, HeaderValue>>;
  };
}

type HeaderValue = string | number | readonly string[] | undefined;

export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

const devFolder = "@unplugin-kernel/";

const contentTypes = { wasm: "application/wasm", js: "text/javascript" } as const;

export interface DevFiles {
  /** Path of the folder on the dev server. */
  folder(): string;
  /** Makes a file available to browsers; returns its path. */
  serve(asset: KernelAsset): string;
  readonly answer: Middleware;
}

/** @param config that of the present server; undefined: there is none */
export function createDevFiles(config: () => DevConfig | undefined, visits: Pick<DevVisits, "answer">): DevFiles {
  const served = new Map<string, Uint8Array>();
  const folder = (): string => `${config()?.base ?? "/"}${devFolder}`;
  return {
    folder,
    serve({ fileName, bytes }) {
      served.set(fileName, bytes);
      return folder() + fileName;
    },
    answer(asked, response, next) {
      const [, name = ""] = (asked.url ?? "").split("?")[0]!.split(`/${devFolder}`);
      const { headers = {}, host, https } = config()?.server ?? {};
      // A server that listens on other addresses looks at the names by which it is asked itself.
      const access = { scheme: https ? "https" : "http", isOpen: host !== undefined && host !== false } as const;
      if (visits.answer(name, asked, response, access)) return;
      const bytes = served.get(name);
      if (!bytes) return next();
      // The user's own headers are sent too: an isolated page takes a worker's script only with a policy as its own.
      for (const [header, value] of Object.entries(headers)) {
        if (value !== undefined) response.setHeader(header, value);
      }
      response.setHeader("Content-Type", contentTypes[name.endsWith(".js") ? "js" : "wasm"]);
      // The name is a hash of the bytes.
      response.setHeader("Cache-Control", "max-age=31536000, immutable");
      response.end(bytes);
    },
  };
}
