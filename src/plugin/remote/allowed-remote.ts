// A remote store as this build may use it: namespaces `main` and `pr/<n>` are divided by trust, others are the user's own affair.

import { type Environment, namespaceProblem, namespacesOf } from "../trust/namespaces.ts";
import type { ResolvedRemote } from "./remote-options.ts";

export type AllowedRemote =
  | { readonly kind: "allowed"; readonly remote: ResolvedRemote }
  | { readonly kind: "forbidden"; readonly why: string };

export function allowedRemote(remote: ResolvedRemote, environment: Environment, isCi: boolean): AllowedRemote {
  const { namespace, isWritten } = remote;
  if (namespace === null || !/^(main$|pr\/)/.test(namespace)) return { kind: "allowed", remote };
  const namespaces = namespacesOf(environment, isCi);
  const why = namespaceProblem(namespace, "read", namespaces);
  if (why !== null) return { kind: "forbidden", why };
  return { kind: "allowed", remote: { ...remote, isWritten: isWritten && namespaces.write === namespace } };
}
