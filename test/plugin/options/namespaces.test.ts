// The jobs that CI services run, by the variables that each of them sets, and the namespaces of a shared store that they may use.

import { expect, it } from "vitest";
import { type CiJob, type Environment, jobOf } from "../../../src/plugin/options/ci-job.ts";
import { namespaceProblem, namespacesOf } from "../../../src/plugin/options/namespaces.ts";

const github = (event: string, ref: string, isProtected: boolean): Environment => ({
  CI: "true",
  GITHUB_ACTIONS: "true",
  GITHUB_EVENT_NAME: event,
  GITHUB_REF: ref,
  GITHUB_REF_PROTECTED: String(isProtected),
});
const gitlab = (source: string, isProtected: boolean, rest: Environment = {}): Environment => ({
  CI: "true",
  GITLAB_CI: "true",
  CI_PIPELINE_SOURCE: source,
  ...(isProtected ? { CI_COMMIT_REF_PROTECTED: "true" } : {}),
  ...rest,
});

const merged: CiJob = { kind: "merged" };
const unmerged: CiJob = { kind: "unmerged" };
const unknown: CiJob = { kind: "unknown" };
const request = (number: number | null): CiJob => ({
  kind: "pull-request",
  number: number === null ? null : String(number),
});

const jobs: readonly [string, Environment, CiJob][] = [
  ["GitHub: a push to a protected branch", github("push", "refs/heads/main", true), merged],
  ["GitHub: a schedule on it", github("schedule", "refs/heads/main", true), merged],
  ["GitHub: a push to another branch", github("push", "refs/heads/feature", false), unmerged],
  ["GitHub: a push within a fork, whose branches are its owner's", github("push", "refs/heads/main", false), unmerged],
  ["GitHub: a pull request", github("pull_request", "refs/pull/12/merge", false), request(12)],
  ["GitHub: its head alone", github("pull_request", "refs/pull/12/head", false), request(12)],
  ["GitHub: one that calls itself protected", github("pull_request", "refs/pull/12/merge", true), request(12)],
  ["GitHub: a merged one, which has the branch", github("pull_request", "refs/heads/main", true), request(null)],
  [
    "GitHub: pull_request_target, which runs as main",
    github("pull_request_target", "refs/heads/main", true),
    request(null),
  ],
  ["GitHub: a review", github("pull_request_review", "refs/pull/12/merge", false), request(12)],
  [
    "GitHub: a number that leads elsewhere",
    github("pull_request", "refs/pull/12/../../main/merge", false),
    request(12),
  ],
  ["GitHub: a number that is none", github("pull_request", "refs/pull/%2e%2e/merge", false), request(null)],
  ["GitHub: a number too long", github("pull_request", "refs/pull/1234567890123/merge", false), request(null)],
  ["GitHub: workflow_run", github("workflow_run", "refs/heads/main", true), unmerged],
  ["GitHub: issue_comment", github("issue_comment", "refs/heads/main", true), unmerged],
  ["GitHub: repository_dispatch", github("repository_dispatch", "refs/heads/main", true), unmerged],
  ["GitHub: the merge queue", github("merge_group", "refs/heads/gh-readonly-queue/main/pr-3", true), unmerged],
  ["GitHub: an event that it has not yet", github("push_request", "refs/heads/main", true), unmerged],
  ["GitHub: nothing but its name", { GITHUB_ACTIONS: "true" }, unmerged],
  [
    "Gitea: a push, of which it does not say whether the branch is protected",
    { GITHUB_ACTIONS: "true", GITHUB_EVENT_NAME: "push" },
    unmerged,
  ],
  ["GitLab: a push to a protected branch", gitlab("push", true), merged],
  ["GitLab: a schedule on it", gitlab("schedule", true), merged],
  ["GitLab: a push to another branch", gitlab("push", false), unmerged],
  ["GitLab: a merge request", gitlab("merge_request_event", false, { CI_MERGE_REQUEST_IID: "7" }), request(7)],
  ["GitLab: one of a protected branch", gitlab("merge_request_event", true, { CI_MERGE_REQUEST_IID: "7" }), request(7)],
  [
    "GitLab: one of a fork, run in the parent by a member",
    gitlab("merge_request_event", true, {
      CI_MERGE_REQUEST_IID: "7",
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "2",
      CI_PROJECT_ID: "1",
    }),
    request(7),
  ],
  [
    "GitLab: a child pipeline of a merge request",
    gitlab("parent_pipeline", true, { CI_MERGE_REQUEST_IID: "7" }),
    request(7),
  ],
  [
    "GitLab: a pull request of GitHub",
    gitlab("external_pull_request_event", true, { CI_EXTERNAL_PULL_REQUEST_IID: "9" }),
    request(9),
  ],
  ["GitLab: a number that leads elsewhere", gitlab("push", true, { CI_MERGE_REQUEST_IID: "../main" }), request(null)],
  ["GitLab: a child pipeline", gitlab("parent_pipeline", true), unmerged],
  ["GitLab: a trigger, which others may hold", gitlab("trigger", true), unmerged],
  ["GitLab: an empty number", gitlab("push", true, { CI_MERGE_REQUEST_IID: "" }), merged],
  [
    "CircleCI: a pull request",
    { CI: "true", CIRCLECI: "true", CIRCLE_PULL_REQUEST: "https://github.com/us/app/pull/12" },
    request(12),
  ],
  [
    "CircleCI: one of a fork",
    { CI: "true", CIRCLECI: "true", CIRCLE_PR_NUMBER: "12", CIRCLE_PR_USERNAME: "they" },
    request(12),
  ],
  ["CircleCI: a branch", { CI: "true", CIRCLECI: "true", CIRCLE_BRANCH: "main" }, unknown],
  ["Buildkite: a pull request", { CI: "true", BUILDKITE: "true", BUILDKITE_PULL_REQUEST: "12" }, request(12)],
  ["Buildkite: a branch", { CI: "true", BUILDKITE: "true", BUILDKITE_PULL_REQUEST: "false" }, unknown],
  [
    "Azure: a pull request of GitHub, whose number is not its id",
    {
      CI: "true",
      TF_BUILD: "True",
      BUILD_REASON: "PullRequest",
      SYSTEM_PULLREQUEST_PULLREQUESTID: "5",
      SYSTEM_PULLREQUEST_PULLREQUESTNUMBER: "12",
    },
    request(12),
  ],
  ["Azure: one of its own", { TF_BUILD: "True", SYSTEM_PULLREQUEST_PULLREQUESTID: "5" }, request(5)],
  ["Bitbucket: a pull request", { CI: "true", BITBUCKET_PR_ID: "12" }, request(12)],
  ["Bitbucket: a branch", { CI: "true", BITBUCKET_BRANCH: "main" }, unknown],
  ["Jenkins: a change", { CHANGE_ID: "12" }, request(12)],
  ["Travis: a pull request", { CI: "true", TRAVIS: "true", TRAVIS_PULL_REQUEST: "12" }, request(12)],
  ["Travis: a branch", { CI: "true", TRAVIS: "true", TRAVIS_PULL_REQUEST: "false" }, unknown],
  ["Netlify: a preview, without number", { CI: "true", NETLIFY: "true", PULL_REQUEST: "true" }, request(null)],
  ["Vercel: a branch", { CI: "1", VERCEL: "1", VERCEL_GIT_PULL_REQUEST_ID: "" }, unknown],
  ["another service", { CI: "true" }, unknown],
  [
    "one that says it is merged, and has a pull request too",
    { ...github("push", "refs/heads/main", true), CHANGE_ID: "3" },
    request(3),
  ],
];

it.each(jobs)("%s", (_, environment, job) => {
  expect(jobOf(environment, true)).toEqual(job);
});

it("no job but that of a protected branch writes main, and a pull request at most its own namespace", () => {
  for (const [what, environment, job] of jobs) {
    const { read, write } = namespacesOf(jobOf(environment, true));
    expect([what, write === "main"]).toEqual([what, job.kind === "merged"]);
    expect(read.filter((name) => name !== "main" && name !== write)).toEqual([]);
    expect(write ?? "main").toMatch(/^(main|pr\/[1-9]\d*)$/);
  }
});

it("a machine of one's own", () => {
  expect(jobOf({}, false)).toEqual({ kind: "own" });
  expect(namespacesOf({ kind: "own" })).toEqual({ read: ["main"], write: "main" });
});

it("a trusted build never reads pr/, and a pull request never writes main", () => {
  const trusted = namespacesOf(merged);
  expect(namespaceProblem("main", "write", trusted)).toBeNull();
  expect(namespaceProblem("pr/12", "read", trusted)).toBe("this build may not read namespace pr/12, but main");
  const pull = namespacesOf(request(12));
  expect(namespaceProblem("main", "read", pull)).toBeNull();
  expect(namespaceProblem("pr/12", "write", pull)).toBeNull();
  expect(namespaceProblem("pr/13", "read", pull)).toBe("this build may not read namespace pr/13, but pr/12, main");
  expect(namespaceProblem("main", "write", pull)).toBe("this build may not write namespace main, but pr/12");
  for (const job of [request(null), unmerged, unknown])
    expect(namespaceProblem("main", "write", namespacesOf(job))).toBe(
      "this build may not write namespace main, but none",
    );
});
