// Which namespace of a shared store a build may use, by option `remote` and the job that runs it.

import { describe, expect, test } from "vitest";
import { resolveOptions } from "../../../src/plugin/options.ts";

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
  test("is read by its pull request, which writes nothing", () => {
    expect(remoteIn(pullRequest, "pr/7")).toMatchObject({ namespace: "pr/7", isWritten: false });
  });

  test.each([
    ["a protected branch", protectedPush],
    ["another pull request", { ...pullRequest, GITHUB_REF: "refs/pull/8/merge" }],
    ["a machine of one's own", {}],
  ])("is an error in %s", (_, environment) => {
    expect(() => remoteIn(environment, "pr/7")).toThrow(/option remote: this build may not read namespace pr\/7, but /);
  });
});

test("other namespaces, and none, are not divided", () => {
  expect(remoteIn({ CI: "1" }, "team")).toMatchObject({ namespace: "team", isWritten: true });
  expect(remoteIn({ CI: "1" })).toMatchObject({ namespace: null, isWritten: true });
});
