// The tests that run in an emulator: the repository's settings, other files.

import { defineConfig } from "vitest/config";
import settings from "../../vitest.config.ts";

export default defineConfig({
  ...settings,
  test: { ...settings.test, include: ["test/emulated/*.test.ts"], exclude: [], globalSetup: [] },
});
