import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    // Operator files name the package; in tests that name is the source tree.
    alias: {
      "unplugin-kernel/op": source("src/compiler/expr/authoring.ts"),
      "unplugin-kernel/ops": source("src/compiler/ops/index.ts"),
    },
  },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/bench/**", "test/emulated/**"],
    globalSetup: ["test/support/build-worker.ts"],
    // Tests leave nothing under the home of whoever runs them: their stores have a secret of their own.
    env: { UNPLUGIN_KERNEL_STORE_KEY: "5e".repeat(32) },
    // Each mostly waits for a process of its own, or V8 for another core.
    maxWorkers: "100%",
    // One for all: a time-out ends a test that hangs. What takes seconds on a quiet machine took minutes on a busy one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
  },
});
