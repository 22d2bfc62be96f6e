// Which versions of Deno have hooks that work.

import { expect, test } from "vitest";
import { checkVersion } from "../../../src/plugin/program/register-deno.ts";

test.each(["2.8.3", "2.8.10", "2.9.0", "2.10.1", "3.0.0", "2.9.0+canary"])("Deno %s has them", (version) => {
  expect(() => checkVersion(version)).not.toThrow();
});

test.each(["1.46.3", "2.7.14", "2.8.2"])("Deno %s is refused, and told which is needed", (version) => {
  expect(() => checkVersion(version)).toThrow(
    `unplugin-kernel/register needs Deno 2.8.3 or newer, and this is ${version}`,
  );
});
