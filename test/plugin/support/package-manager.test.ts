// Commands in hints are those of the project's own package manager.

import { join } from "node:path";
import { expect, it } from "vitest";
import { packageManagerOf } from "../../../src/plugin/support/package-manager.ts";
import { writeApp } from "../../support/build-app.ts";

const tuneIn = (files: Readonly<Record<string, string>>, folder = ""): string =>
  packageManagerOf(join(writeApp({ ".git/HEAD": "", ...files }), folder)).execute("unplugin-kernel tune");

it.each([
  ["pnpm-lock.yaml", "pnpm exec unplugin-kernel tune"],
  ["yarn.lock", "yarn run unplugin-kernel tune"],
  ["bun.lock", "bunx unplugin-kernel tune"],
  ["deno.lock", "deno run --allow-all npm:unplugin-kernel tune"],
  ["package-lock.json", "npx unplugin-kernel tune"],
  ["nothing.txt", "npx unplugin-kernel tune"],
])("%s: %s", (file, command) => {
  expect(tuneIn({ [file]: "" })).toBe(command);
});

it("a package of a workspace has the lock file above it; what package.json names comes first", () => {
  expect(tuneIn({ "pnpm-lock.yaml": "", "apps/web/main.js": "" }, "apps/web")).toBe("pnpm exec unplugin-kernel tune");
  const named = { "package.json": '{ "packageManager": "yarn@4.9.0" }', "package-lock.json": "" };
  expect(tuneIn(named)).toBe("yarn run unplugin-kernel tune");
  expect(tuneIn({ "package.json": "{", "bun.lock": "" })).toBe("bunx unplugin-kernel tune");
});
