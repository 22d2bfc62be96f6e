// The parts of a shared store that a build may read and write, by the job that runs it: `main` for what is merged, `pr/<n>` for a
// pull request. Environment → namespaces. Hygiene alone: what a job may write, its credential at the server has to decide.

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Namespaces {
  /** In the order in which they are asked. A build that is trusted reads `main` alone. */
  readonly read: readonly string[];
  /** Null: the build writes nothing. */
  readonly write: string | null;
}

const main = "main";
const readsMain: Namespaces = { read: [main], write: null };
const writesMain: Namespaces = { read: [main], write: main };

const ofPullRequest = (number: string | undefined): Namespaces =>
  /^[1-9]\d{0,8}$/.test(number ?? "") ? { read: [`pr/${number}`, main], write: `pr/${number}` } : readsMain;

/**
 * Events that run what was merged. Others run with the rights of the main branch, too, on what a stranger sent
 * (`pull_request_target`, `issue_comment`, `workflow_run`) or on what is not merged yet (`merge_group`).
 */
const mergedEvents: readonly string[] = ["push", "schedule", "workflow_dispatch", "release"];

function onGitHub({ GITHUB_EVENT_NAME, GITHUB_REF, GITHUB_REF_PROTECTED }: Environment): Namespaces {
  const event = GITHUB_EVENT_NAME ?? "";
  if (event === "pull_request") return ofPullRequest(/^refs\/pull\/(\d+)\//.exec(GITHUB_REF ?? "")?.[1]);
  return mergedEvents.includes(event) && GITHUB_REF_PROTECTED === "true" ? writesMain : readsMain;
}

const mergedSources: readonly string[] = ["push", "schedule", "web", "api"];

function onGitLab(environment: Environment): Namespaces {
  const { CI_PIPELINE_SOURCE, CI_COMMIT_REF_PROTECTED, CI_MERGE_REQUEST_IID, CI_EXTERNAL_PULL_REQUEST_IID } =
    environment;
  // First: the branch of a merge request may be protected itself.
  const request = CI_MERGE_REQUEST_IID ?? CI_EXTERNAL_PULL_REQUEST_IID;
  const source = CI_PIPELINE_SOURCE ?? "";
  if (request !== undefined) return ofPullRequest(request);
  return mergedSources.includes(source) && CI_COMMIT_REF_PROTECTED === "true" ? writesMain : readsMain;
}

/** Says which namespaces a build may use. A service that is not known reads `main`; a machine of one's own may write it. */
export function namespacesOf(environment: Environment, isCi: boolean): Namespaces {
  if (environment.GITHUB_ACTIONS === "true") return onGitHub(environment);
  if (environment.GITLAB_CI === "true") return onGitLab(environment);
  return isCi ? readsMain : writesMain;
}

/** Says why a build must not use a namespace that option `remote.namespace` names; null: it may. */
export function namespaceProblem(namespace: string, use: "read" | "write", { read, write }: Namespaces): string | null {
  if (use === "read" ? read.includes(namespace) : namespace === write) return null;
  const allowed = use === "read" ? read.join(", ") : (write ?? "none");
  return `this build may not ${use} namespace ${namespace}, but ${allowed}`;
}
