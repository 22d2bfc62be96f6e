import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findXgboost } from "../../../src/native/machine/xgboost-library.ts";
import { chooseCostModel } from "../../../src/tuner/cost-model/choose.ts";

const directory = mkdtempSync(join(tmpdir(), "xgboost-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("the boosted trees need nothing", async () => {
  expect(await chooseCostModel("boosted-trees", null)).toMatchObject({
    model: { name: "boosted-trees squared-error" },
    warning: null,
  });
});

test("without a library XGBoost is the boosted trees, and says so in a line", async () => {
  const { model, warning } = await chooseCostModel("xgboost", null);
  expect(model.name).toBe("boosted-trees squared-error");
  expect(warning).toBe(
    "no XGBoost library was found (Debian: apt install libxgboost0); the boosted trees of this package are used instead",
  );
});

test("a file that is no library is no reason to stop", async () => {
  const path = join(directory, "libxgboost.so.0");
  writeFileSync(path, "not a library");
  const { model, warning } = await chooseCostModel("xgboost", path);
  expect(model.name).toBe("boosted-trees squared-error");
  expect(warning).toContain(`${path} could not be loaded: `);
});

test("the library is the one that is named, or that of the package", () => {
  expect(findXgboost({ path: join(directory, "nowhere.so") })).toBeNull();
  const lib = join(directory, "node_modules", "xgboost_node", "lib");
  mkdirSync(lib, { recursive: true });
  writeFileSync(join(lib, "..", "package.json"), "{}");
  writeFileSync(join(lib, "libxgboost.so"), "");
  writeFileSync(join(directory, "package.json"), "{}");
  expect(findXgboost({ project: directory })).toBe(join(lib, "libxgboost.so"));
  expect(findXgboost({ path: join(lib, "libxgboost.so") })).toBe(join(lib, "libxgboost.so"));
});
