// The settings of the whole suite, as run.js runs it. Those of the repository, and two that save a third of the time where nothing is
// cached, as in CI:
//
// - Tests of the compiler and of the tuner share the modules that a worker has loaded: they are pure, and in processes of their own half
//   of their time is loading the compiler again.
// - The longest files come first: one of two minutes that comes last has a core to itself while the others have nothing to do.

import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import settings from "../vitest.config.ts";

const root = join(import.meta.dirname, "..");

/** Files of 25 seconds and more, the longest first. */
const longest = [
  "test/property/drawn-operators.test.ts",
  "test/site/site.test.ts",
  "test/browser/kernels.test.ts",
  "test/cli/commands.test.ts",
  "test/e2e/one-failure.test.ts",
  "test/browser/report.test.ts",
  "test/browser/bench.test.ts",
  "test/browser/dev.test.ts",
  "test/property/shared-values.test.ts",
  "test/e2e/watch.test.ts",
  "test/docs/bundlers.test.ts",
  "test/e2e/register.test.ts",
  "test/e2e/package.test.ts",
  "test/api/threads.test.ts",
  "test/e2e/tuning-interrupt.test.ts",
].map((file) => join(root, file));

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const first = longest.flatMap((file) => sorted.filter(({ moduleId }) => moduleId === file));
    return [...first, ...sorted.filter((specification) => !first.includes(specification))];
  }
}

const pure = ["test/compiler/**/*.test.ts", "test/tuner/**/*.test.ts"];
const { include = [], exclude = [], ...shared } = settings.test!;

export default defineConfig({
  ...settings,
  root,
  test: {
    ...shared,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: "own processes", include, exclude: [...exclude, ...pure] } },
      { extends: true, test: { name: "shared modules", include: pure, exclude, isolate: false } },
    ],
  },
});
