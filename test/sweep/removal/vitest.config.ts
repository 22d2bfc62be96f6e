// The run over all parts: the repository's settings, one file.

import { defineConfig } from "vitest/config";
import settings from "../../../vitest.config.ts";

export default defineConfig({ ...settings, test: { ...settings.test, include: ["test/sweep/removal/*.run.ts"] } });
