// Which namespace of a shared store a build may use, by option `remote` and the job that runs it.

import { describe, expect, test } from "vitest";
import { resolveOptions } from "../../../src/plugin/options/options.ts";

const url = "https://kernels.example";
const onGitHub = { CI: "true", GITHUB_ACTIONS: "true" };
const protectedPush = { ...onGitHub, GITHUB_EVENT_NAME: "push", GITHUB_REF_PROTECTED: "true" };
const pullRequest = { ...onGitHub, GITHUB_EVENT_NAME: "pull_request", GITHUB_REF: "refs/pull/7/merge" };

const remoteIn = (environment: Readonly<Record<string, string>>, namespace?: string) =>
  resolveOptions({ remote: { url, mode: "read-write", ...(namespace && { namespace }) } }, "/", environment).remote;

describe("namespace main", () => {
  test.each([
    ["a protected branch", protectedPush, true],
    ["a branch without protection", { ...protectedPush, GITHUB_REF_PROTECTED: "false" }, false],
    ["a pull request", pullRequest, false],
    ["a machine of one's own", {}, true],
    ["a service that is not known", { CI: "1" }, false],
  ])("is read by %s", (_, environment, isWritten) => {
    expect(remoteIn(environment, "main")).toMatchObject({ namespace: "main", isWritten });
  });
});

describe("namespace pr/7", () => {
  test("is read and written by its pull request", () => {
    expect(remoteIn(pullRequest, "pr/7")).toMatchObject({ namespace: "pr/7", isWritten: true, whyNotPushed: null });
  });

  test.each([
    ["a protected branch", protectedPush],
    ["another pull request", { ...pullRequest, GITHUB_REF: "refs/pull/8/merge" }],
    ["a machine of one's own", {}],
  ])("is an error in %s", (_, environment) => {
    expect(() => remoteIn(environment, "pr/7")).toThrow(/option remote: this build may not read namespace pr\/7, but /);
  });
});

test.each(["Main", "MAIN", "PR/7"])("namespace %s, which is main or pr/7 on some servers, is an error", (namespace) => {
  for (const environment of [protectedPush, pullRequest, {}])
    expect(() => remoteIn(environment, namespace)).toThrow(/option remote: this build may not read namespace /);
});

describe("other namespaces, and none, are not divided", () => {
  test.each([
    ["a service that is not known", { CI: "1" }],
    ["a branch without protection", { ...protectedPush, GITHUB_REF_PROTECTED: "false" }],
    ["a machine of one's own", {}],
    ["a push", { GITHUB_EVENT_NAME: "push" }],
    ["no pull request", { BUILDKITE_PULL_REQUEST: "false", TRAVIS_PULL_REQUEST: "false", CI_MERGE_REQUEST_IID: "" }],
  ])("%s writes there", (_, environment) => {
    expect(remoteIn(environment, "team")).toMatchObject({ namespace: "team", isWritten: true, whyNotPushed: null });
    expect(remoteIn(environment)).toMatchObject({ namespace: null, isWritten: true, whyNotPushed: null });
  });

  test.each([
    pullRequest,
    { GITHUB_EVENT_NAME: "pull_request_target" },
    { CI_MERGE_REQUEST_IID: "12" },
    { CIRCLE_PULL_REQUEST: "https://x/pull/1" },
    { BUILDKITE_PULL_REQUEST: "12" },
    { SYSTEM_PULLREQUEST_PULLREQUESTID: "12" },
    { CHANGE_ID: "12" },
  ])("a pull request does not: %j", (environment) => {
    const whyNotPushed = "the CI of a pull request does not write to the remote store";
    for (const namespace of ["team", undefined])
      expect(remoteIn(environment, namespace)).toMatchObject({ isWritten: false, whyNotPushed });
  });
});

test.each([
  ["a protected branch", protectedPush, null],
  ["a machine of one's own", {}, null],
  ["a service that is not known, whose configuration says when it pushes", { CI: "1" }, null],
  [
    "a branch without protection",
    { ...protectedPush, GITHUB_REF_PROTECTED: "false" },
    "this build may not write namespace main, but none",
  ],
  [
    "a merge queue",
    { ...protectedPush, GITHUB_EVENT_NAME: "merge_group" },
    "this build may not write namespace main, but none",
  ],
  ["a pull request", pullRequest, "this build may not write namespace main, but pr/7"],
])("cache push to main from %s", (_, environment, whyNotPushed) => {
  expect(remoteIn(environment, "main")).toMatchObject({ whyNotPushed });
});
