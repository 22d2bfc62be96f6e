// docs/hosts.md as the tests' report makes it: which tests count, and where they stand.

import { expect, test } from "vitest";
import { hostTable, hostTests, type TestReport } from "./host-table.js";

const passed = (ancestorTitles: readonly string[], title: string) => ({ ancestorTitles, title, status: "passed" });
const report: TestReport = {
  testResults: [
    {
      name: "/repository/test/e2e/hosts.test.ts",
      assertionResults: [
        passed(["vite"], "binds an addon"),
        passed(["rspack, mode off"], "runs the reference loops"),
        passed(["vite, mode off"], "runs the reference loops"),
        passed(["a kernel"], "is tuned"),
      ],
    },
    // Titles of `describe.each` with `$name` are quoted.
    {
      name: "/repository/test/e2e/webpack.test.ts",
      assertionResults: [passed(["'webpack'"], "binds an addon (7 ms)")],
    },
    { name: "/repository/test/plugin/vite.test.ts", assertionResults: [passed(["vite"], "has hooks")] },
  ],
};

test("tests of hosts are those of test/e2e under a host's name", () => {
  expect(hostTests(report)).toEqual([
    { host: "vite", feature: "binds an addon", status: "passed" },
    { host: "rspack", feature: "mode off: runs the reference loops", status: "passed" },
    { host: "vite", feature: "mode off: runs the reference loops", status: "passed" },
    { host: "webpack", feature: "binds an addon", status: "passed" },
  ]);
});

test("a feature that several hosts have is a row, and says of each whether a test passes", () => {
  const table = hostTable(hostTests(report));
  expect(table).toContain("|  | vite | rollup | rolldown | esbuild | webpack | rspack | rsbuild | farm | bun |");
  expect(table).toContain("\n| binds an addon | yes | – | – | – | yes | – | – | – | – |\n");
  expect(table).toContain("\n| mode off: runs the reference loops | yes | – | – | – | – | yes | – | – | – |\n");
  expect(table.split("## Of one bundler alone")[1]).not.toContain("addon");
});

test("what the kernels of these tests are is said above the table", () => {
  expect(hostTable([]).split("|")[0]).toContain("the kernel is a fake");
});
