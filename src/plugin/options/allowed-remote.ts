// A remote store as this build may use it, by the job that runs it: namespaces `main` and `pr/<n>` are divided by trust, others are the
// user's own affair, but for the CI of a pull request, which writes to none of those.

import { type Environment, jobOf } from "./ci-job.ts";
import { isDivided, namespaceProblem, namespacesOf } from "./namespaces.ts";
import type { ResolvedRemote } from "./remote-options.ts";

export type AllowedRemote =
  | { readonly kind: "allowed"; readonly remote: ResolvedRemote }
  | { readonly kind: "forbidden"; readonly why: string };

export function allowedRemote(remote: ResolvedRemote, environment: Environment, isCi: boolean): AllowedRemote {
  const { namespace, isWritten } = remote;
  const job = jobOf(environment, isCi);
  const namespaces = namespacesOf(job);
  const why = isDivided(namespace) ? namespaceProblem(namespace, "read", namespaces) : null;
  if (why !== null) return { kind: "forbidden", why };
  const ofRequest = job.kind === "pull-request" ? "the CI of a pull request does not write to the remote store" : null;
  const readOnly = isDivided(namespace) ? namespaceProblem(namespace, "write", namespaces) : ofRequest;
  // Where the service says nothing of its branches, who writes `cache push` into its configuration has to know them.
  const whyNotPushed = job.kind === "unknown" ? null : readOnly;
  return { kind: "allowed", remote: { ...remote, isWritten: isWritten && readOnly === null, whyNotPushed } };
}
