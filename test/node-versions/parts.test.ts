import { describe, expect, test } from "vitest";
import { engineFiles, partsOf } from "./parts.js";

const here = "test/node-versions/parts.test.ts";

describe("the parts of the suite", () => {
  test("have every test file that npm test runs, once", () => {
    const files = partsOf(".", []).flatMap((part) => part.files);
    expect(new Set(files).size).toBe(files.length);
    expect(files).toEqual(
      expect.arrayContaining([here, "test/architecture.test.ts", "test/tuner/search/strategy/bayesian.test.ts"]),
    );
    expect(files.filter((file) => /^test\/(tools|bench|emulated)\//.test(file))).toEqual([]);
  });

  test("are folders, of which those that are wanted may be a part", () => {
    expect(partsOf(".", [here])).toEqual([{ name: "test/node-versions", files: [here] }]);
    expect(partsOf(".", ["test/nothing"])).toEqual([]);
  });

  test("that a version can change are there", () => {
    for (const path of engineFiles) expect(partsOf(".", [path]), path).not.toEqual([]);
  });
});
