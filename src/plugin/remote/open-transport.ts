// A resolved option → the transport that speaks its protocol, loaded when it is needed.

import type { ResolvedRemote } from "../options/remote-options.ts";
import { defaultLimits, type Transport, type TransportLimits } from "./transport.ts";

export async function openTransport(
  { url, namespace, server }: ResolvedRemote,
  given: Partial<TransportLimits> = {},
): Promise<Transport> {
  const common = { url, namespace, limits: { ...defaultLimits, ...given } };
  switch (server.protocol) {
    case "http":
      return (await import("./http-cache.ts")).httpCache({ ...common, access: server.access });
    case "s3":
      return (await import("./s3.ts")).s3Cache({ ...common, region: server.region, keys: server.keys });
    case "turborepo":
      return (await import("./turborepo.ts")).turborepoCache({ ...common, access: server.access, team: server.team });
  }
}
