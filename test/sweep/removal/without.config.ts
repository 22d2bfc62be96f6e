// The repository's settings with one part of the compiler taken out, which REMOVED names as { kind, name } in JSON.

import { join } from "node:path";
import { defineConfig } from "vitest/config";
import settings from "../../../vitest.config.ts";
import { listOf, type Part, removalOf } from "./part.ts";

const part = JSON.parse(process.env.REMOVED!) as Part;
const list = join(import.meta.dirname, "../../..", listOf[part.kind]);

const withoutPart = {
  name: "without-part",
  transform: (code: string, id: string) => (id === list ? `${code}\n${removalOf(part)}` : null),
};

export default defineConfig({
  ...settings,
  plugins: [withoutPart],
  // Half of the tests' own time is the worker's bundle, which none of those that are run here starts.
  test: { ...settings.test, globalSetup: [], bail: 1, exclude: [...settings.test!.exclude!, "**/every-*.test.ts"] },
});
