// Namespaces of a shared store by the environments that GitHub Actions and GitLab give their jobs.

import { expect, it } from "vitest";
import { type Environment, namespaceProblem, namespacesOf } from "../../../src/plugin/trust/namespaces.ts";

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

const readsMain = { read: ["main"], write: null };
const writesMain = { read: ["main"], write: "main" };
const request = (number: number) => ({ read: [`pr/${number}`, "main"], write: `pr/${number}` });

it.each<[string, Environment, object]>([
  ["GitHub: a push to a protected branch", github("push", "refs/heads/main", true), writesMain],
  ["GitHub: a schedule on it", github("schedule", "refs/heads/main", true), writesMain],
  ["GitHub: a push to another branch", github("push", "refs/heads/feature", false), readsMain],
  ["GitHub: a pull request", github("pull_request", "refs/pull/12/merge", false), request(12)],
  ["GitHub: one that calls itself protected", github("pull_request", "refs/pull/12/merge", true), request(12)],
  ["GitHub: a pull request without number", github("pull_request", "refs/heads/main", true), readsMain],
  [
    "GitHub: pull_request_target, which runs as main",
    github("pull_request_target", "refs/heads/main", true),
    readsMain,
  ],
  ["GitHub: workflow_run", github("workflow_run", "refs/heads/main", true), readsMain],
  ["GitHub: issue_comment", github("issue_comment", "refs/heads/main", true), readsMain],
  ["GitHub: the merge queue", github("merge_group", "refs/heads/gh-readonly-queue/main/pr-3", true), readsMain],
  ["GitHub: nothing but its name", { GITHUB_ACTIONS: "true" }, readsMain],
  ["GitLab: a push to a protected branch", gitlab("push", true), writesMain],
  ["GitLab: a schedule on it", gitlab("schedule", true), writesMain],
  ["GitLab: a push to another branch", gitlab("push", false), readsMain],
  ["GitLab: a merge request", gitlab("merge_request_event", false, { CI_MERGE_REQUEST_IID: "7" }), request(7)],
  ["GitLab: one of a protected branch", gitlab("merge_request_event", true, { CI_MERGE_REQUEST_IID: "7" }), request(7)],
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
  ["GitLab: a number that leads elsewhere", gitlab("push", true, { CI_MERGE_REQUEST_IID: "../main" }), readsMain],
  ["GitLab: a child pipeline", gitlab("parent_pipeline", true), readsMain],
  ["another service", { CI: "true" }, readsMain],
])("%s", (_, environment, namespaces) => {
  expect(namespacesOf(environment, true)).toEqual(namespaces);
});

it("a machine of one's own", () => {
  expect(namespacesOf({}, false)).toEqual(writesMain);
});

it("a trusted build never reads pr/, and a pull request never writes main", () => {
  const trusted = namespacesOf(github("push", "refs/heads/main", true), true);
  expect(namespaceProblem("main", "write", trusted)).toBeNull();
  expect(namespaceProblem("pr/12", "read", trusted)).toBe("this build may not read namespace pr/12, but main");
  const pull = namespacesOf(github("pull_request", "refs/pull/12/merge", false), true);
  expect(namespaceProblem("main", "read", pull)).toBeNull();
  expect(namespaceProblem("pr/12", "write", pull)).toBeNull();
  expect(namespaceProblem("pr/13", "read", pull)).toBe("this build may not read namespace pr/13, but pr/12, main");
  expect(namespaceProblem("main", "write", pull)).toBe("this build may not write namespace main, but pr/12");
  expect(namespaceProblem("main", "write", readsMain)).toBe("this build may not write namespace main, but none");
});
