// The runs that take hours: the repository's settings, other files.

import { defineConfig } from "vitest/config";
import settings from "../../vitest.config.ts";

export default defineConfig({ ...settings, test: { ...settings.test, include: ["test/sweep/*.run.ts"] } });
