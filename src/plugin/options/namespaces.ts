// The parts of a shared store that a build may read and write, by the job that runs it: `main` for what is merged, `pr/<n>` for a
// pull request. Job → namespaces.

import type { CiJob } from "./ci-job.ts";

export interface Namespaces {
  /** In the order in which they are asked. A build that is trusted reads `main` alone. */
  readonly read: readonly string[];
  /** Null: the build writes nothing. */
  readonly write: string | null;
}

const main = "main";

/** Says which namespaces a build may use. */
export function namespacesOf(job: CiJob): Namespaces {
  if (job.kind === "pull-request" && job.number !== null) {
    const own = `pr/${job.number}`;
    return { read: [own, main], write: own };
  }
  return { read: [main], write: job.kind === "merged" || job.kind === "own" ? main : null };
}

/** Whether a namespace is divided by trust: other ones are the user's own affair. Some servers take Main for main. */
export const isDivided = (namespace: string | null): namespace is string => /^(main$|pr\/)/i.test(namespace ?? "");

/** Says why a build must not use a namespace that option `remote.namespace` names; null: it may. */
export function namespaceProblem(namespace: string, use: "read" | "write", { read, write }: Namespaces): string | null {
  if (use === "read" ? read.includes(namespace) : namespace === write) return null;
  const allowed = use === "read" ? read.join(", ") : (write ?? "none");
  return `this build may not ${use} namespace ${namespace}, but ${allowed}`;
}
