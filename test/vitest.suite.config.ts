// The settings of the whole suite, as run.js runs it: those of the repository, but tests of the compiler and of the tuner share the modules
// that a worker has loaded. They are pure, and in processes of their own half of their time is loading the compiler again.

import { defineConfig } from "vitest/config";
import settings from "../vitest.config.ts";

const pure = ["test/compiler/**/*.test.ts", "test/tuner/**/*.test.ts"];
const { include = [], exclude = [], ...shared } = settings.test!;

export default defineConfig({
  ...settings,
  test: {
    ...shared,
    projects: [
      { extends: true, test: { name: "pure", include: pure, exclude, isolate: false } },
      { extends: true, test: { name: "own processes", include, exclude: [...exclude, ...pure] } },
    ],
  },
});
