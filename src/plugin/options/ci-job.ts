// The kind of job that runs a build, by the variables that CI services set. Environment → job. A job knows this of its environment, and
// could lie: what it may write, its credential at the server has to decide.

export type Environment = Readonly<Record<string, string | undefined>>;

export type CiJob =
  /** A machine of one's own, where no CI service runs the build. */
  | { readonly kind: "own" }
  /** It runs what was merged, on a protected branch or tag. */
  | { readonly kind: "merged" }
  /** `number`: digits; null where the service does not say it, or the job has the rights of the main branch beside a stranger's request. */
  | { readonly kind: "pull-request"; readonly number: string | null }
  /** It runs what is not merged, or what others sent: a branch without protection, a merge queue, a comment. */
  | { readonly kind: "unmerged" }
  /** Its service does not say whether a branch is protected, or is not known. */
  | { readonly kind: "unknown" };

/** Variables that are set for pull requests alone, or to "false" for others, and that mostly have the number, or a URL that ends in it. */
const requestVariables = [
  "CI_MERGE_REQUEST_IID", // GitLab
  "CI_EXTERNAL_PULL_REQUEST_IID", // GitLab, of a repository at GitHub
  "CIRCLE_PULL_REQUEST",
  "CIRCLE_PR_NUMBER", // CircleCI, of a fork
  "BUILDKITE_PULL_REQUEST",
  "TRAVIS_PULL_REQUEST",
  "BITBUCKET_PR_ID",
  "DRONE_PULL_REQUEST",
  "CI_COMMIT_PULL_REQUEST", // Woodpecker
  "APPVEYOR_PULL_REQUEST_NUMBER",
  "SYSTEM_PULLREQUEST_PULLREQUESTNUMBER", // Azure Pipelines, of a repository at GitHub
  "SYSTEM_PULLREQUEST_PULLREQUESTID", // Azure Pipelines
  "CHANGE_ID", // Jenkins
  "CIRRUS_PR",
  "SEMAPHORE_GIT_PR_NUMBER",
  "BITRISE_PULL_REQUEST",
  "VERCEL_GIT_PULL_REQUEST_ID",
  "PULL_REQUEST", // Netlify
] as const;

/** Returns the number at the end of a variable or a reference; null: it has none. */
const numberIn = (text: string | undefined): string | null => /(?:^|\/)([1-9]\d{0,8})$/.exec(text ?? "")?.[1] ?? null;

const isSet = (value: string | undefined): value is string => !["", "false", undefined].includes(value);

/**
 * Events that run what was merged. Others run with the rights of the main branch, too, on what a stranger sent
 * (`issue_comment`, `workflow_run`) or on what is not merged yet (`merge_group`).
 */
const mergedEvents: readonly string[] = ["push", "schedule", "workflow_dispatch", "release"];

/** Sources of GitLab's pipelines that run what was merged. */
const mergedSources: readonly string[] = ["push", "schedule", "web", "api"];

/** @param isCi whether a CI service runs the build */
export function jobOf(environment: Environment, isCi: boolean): CiJob {
  const { GITHUB_ACTIONS, GITHUB_EVENT_NAME: event = "", GITHUB_REF, GITHUB_REF_PROTECTED } = environment;
  // `pull_request_target` and its like run on the main branch: their reference has no number.
  if (event.startsWith("pull_request"))
    return { kind: "pull-request", number: numberIn(/^refs\/pull\/\d+(?=\/)/.exec(GITHUB_REF ?? "")?.[0]) };
  // First: the branch of a merge request may be protected itself.
  const request = requestVariables.map((name) => environment[name]).find(isSet);
  if (request !== undefined) return { kind: "pull-request", number: numberIn(request) };
  if (GITHUB_ACTIONS === "true") return mergedIf(mergedEvents.includes(event), GITHUB_REF_PROTECTED);
  const { GITLAB_CI, CI_PIPELINE_SOURCE = "", CI_COMMIT_REF_PROTECTED } = environment;
  if (GITLAB_CI === "true") return mergedIf(mergedSources.includes(CI_PIPELINE_SOURCE), CI_COMMIT_REF_PROTECTED);
  return { kind: isCi ? "unknown" : "own" };
}

const mergedIf = (runsMerged: boolean, isProtected: string | undefined): CiJob => ({
  kind: runsMerged && isProtected === "true" ? "merged" : "unmerged",
});
