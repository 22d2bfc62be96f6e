// Whether a CI service builds a pull request, by the variables that each of them sets.

import type { Environment } from "./credentials.ts";

/** Variables that are set for pull requests alone, or to "false" for others. */
const variables = [
  "CI_MERGE_REQUEST_IID", // GitLab
  "CIRCLE_PULL_REQUEST",
  "BUILDKITE_PULL_REQUEST",
  "TRAVIS_PULL_REQUEST",
  "BITBUCKET_PR_ID",
  "DRONE_PULL_REQUEST",
  "APPVEYOR_PULL_REQUEST_NUMBER",
  "SYSTEM_PULLREQUEST_PULLREQUESTID", // Azure Pipelines
  "CHANGE_ID", // Jenkins
  "PULL_REQUEST", // Netlify
];

/** Says whether it is one. That keeps honest jobs from writing; the server has to keep out the others. */
export const isPullRequest = (environment: Environment): boolean =>
  /^pull_request/.test(environment.GITHUB_EVENT_NAME ?? "") ||
  variables.some((name) => !["", "false"].includes(environment[name] ?? ""));
