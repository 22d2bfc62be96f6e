// `report` as users run it: the page, its data as JSON, and what it leaves alone.

import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { ReportData } from "../../../src/plugin/report/report-data.ts";
import { inTurn, suitesInTurn } from "../../support/long.ts";
import { dataIn, kernelsIn } from "../../support/report-in-page.ts";
import { gemm, runCli, writeProject } from "../project.ts";

const turn = inTurn(4);

const files = {
  "src/gemm.op.ts": gemm,
  "src/main.ts": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n',
};
const page = "unplugin-kernel-report.html";

const suite = suitesInTurn(2);

suite("report", () => {
  let root: string;
  beforeAll(() => {
    root = writeProject(files);
  });
  const text = (name: string): string => readFileSync(join(root, name), "utf8");

  test("of a project that was never tuned has the predicted schedules, and writes no lock", () => {
    expect(runCli(root, "report")).toMatchObject({ exitCode: 0, output: `${page} written, 1 kernel\n`, errors: "" });
    expect(kernelsIn(dataIn(text(page)))).toMatchObject([{ origin: "predicted", measured: null }]);
    expect(existsSync(join(root, "kernels.lock.json"))).toBe(false);
  });

  test("after a tuning has what it measured; --json prints what the page holds", () => {
    expect(runCli(root, "tune", "--seconds", "600", "--trials", "6").exitCode).toBe(0);
    const lock = text("kernels.lock.json");
    const { exitCode, output } = runCli(root, "report", "--json", "--out", "deep/kernels.html");
    expect(exitCode).toBe(0);
    const { file, ...data } = JSON.parse(output) as ReportData & { file: string };
    expect(file).toBe(join(root, "deep/kernels.html"));
    expect(dataIn(text("deep/kernels.html"))).toEqual(data);
    const [kernel] = kernelsIn(data);
    expect(kernel).toMatchObject({ origin: "lock", tunings: [{ strategy: "default" }] });
    expect(kernel!.candidates.length).toBe(kernel!.tunings[0]!.measured);
    expect(text("kernels.lock.json")).toBe(lock);
  });

  test("its hints are commands of the project's package manager", () => {
    const root = writeProject({ ...files, "pnpm-lock.yaml": "lockfileVersion: '9.0'\n" });
    expect(JSON.parse(runCli(root, "report", "--json").output).commands).toEqual({
      tune: "pnpm exec unplugin-kernel tune",
      report: "pnpm exec unplugin-kernel report",
    });
  });

  test("a store that knows more than the lock is looked at, and the lock is left alone", () => {
    const elsewhere = ["--lockfile", "other.lock.json"];
    const { output } = runCli(root, "report", "--json", ...elsewhere);
    expect(kernelsIn(JSON.parse(output))).toMatchObject([{ origin: "store" }]);
    expect(existsSync(join(root, "other.lock.json"))).toBe(false);
  });
});

turn("a kernel that cannot be made is told, on the page too, and the others are there", () => {
  const bad = 'import bad from "./gemm.op.ts?tune=wasm&X=1";\nconsole.log(bad);\n';
  const root = writeProject({ ...files, "src/bad.ts": bad });
  const { exitCode, errors } = runCli(root, "report");
  expect(exitCode).toBe(1);
  expect(errors).toContain("request.unknown-key: src/gemm.op.ts has no parameter X");
  const { kernels } = dataIn(readFileSync(join(root, page), "utf8"));
  expect(kernels.map(({ kind, name }) => [kind, name])).toEqual([
    ["failed", "src/gemm.op.ts?X=1&tune=wasm"],
    ["kernel", "src/gemm.op.ts?tune=wasm"],
  ]);
});

turn("where the page is, is said in short below the working directory, and else as a whole path", () => {
  const root = writeProject(files);
  const elsewhere = join(mkdtempSync(join(tmpdir(), "report-out-")), "kernels.html");
  expect(runCli(root, "report", "--out", elsewhere).output).toBe(`${elsewhere} written, 1 kernel\n`);
  expect(runCli(root, "report", "--out", join(root, "deep/kernels.html")).output).toBe(
    "deep/kernels.html written, 1 kernel\n",
  );
  expect(existsSync(elsewhere)).toBe(true);
});

turn("shapes are in the order of their sizes, and the project has its package's name", () => {
  const sizes = [100, 8, 124, 104];
  const imports = sizes.map(
    (size) => `import g${size} from "./gemm.op.ts?tune=wasm&M=${size}";\nconsole.log(g${size});\n`,
  );
  const root = writeProject({ ...files, "src/main.ts": imports.join("") });
  writeFileSync(join(root, "package.json"), JSON.stringify({ name: "semantic-search", type: "module" }));
  const { output } = runCli(root, "report", "--json");
  const data = JSON.parse(output) as ReportData;
  expect(data.project).toBe("semantic-search");
  expect(kernelsIn(data).map(({ parameters }) => parameters.M)).toEqual([8, 100, 104, 124]);
});

turn("a project without kernels has a page too", () => {
  const root = writeProject({ "src/main.ts": "console.log(1);\n" });
  expect(runCli(root, "report")).toMatchObject({ exitCode: 0, output: `${page} written, 0 kernels\n` });
  expect(dataIn(readFileSync(join(root, page), "utf8")).kernels).toEqual([]);
  // The page shows an import, and lies where imports are looked for.
  expect(runCli(root, "report")).toMatchObject({ output: `${page} written, 0 kernels\n`, errors: "" });
});
