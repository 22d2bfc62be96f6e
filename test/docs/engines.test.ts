// docs/engines.md against the record that it is made of, and the making of that record.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { engineNames } from "../support/engine/engine.ts";
import { type EnginesRecord, enginesOf, enginesPage } from "../support/engine/record.ts";
import { type Feature, features, type Seen } from "../support/engine/saw.ts";
import { browsers, parts, versionsIn } from "../support/engine/versions.ts";

const repository = resolve(import.meta.dirname, "../..");
const record: EnginesRecord = JSON.parse(readFileSync(join(repository, "test/browser/engines.json"), "utf8"));

describe("docs/engines.md", () => {
  test("is what the record gives (npm run test:engines)", () => {
    expect(readFileSync(join(repository, "docs/engines.md"), "utf8")).toBe(enginesPage(record));
  });

  test("has an answer for each feature in each engine, and versions for each part", () => {
    for (const name of engineNames) expect(Object.keys(record.engines[name].seen)).toEqual(Object.keys(features));
    expect(Object.keys(record.compat.versions)).toEqual(Object.keys(parts));
    for (const versions of Object.values(record.compat.versions))
      expect(Object.keys(versions)).toEqual(Object.keys(browsers));
  });
});

describe("the record", () => {
  const all = (answer: string, version = "1.0"): Seen[] =>
    engineNames.flatMap((engine) =>
      (Object.keys(features) as Feature[]).map((feature) => ({ engine, version, feature, answer })),
    );

  test("takes what several tests saw alike once", () => {
    const { Firefox } = enginesOf([...all("yes"), ...all("yes")]);
    expect(Firefox).toEqual({
      version: "1.0",
      seen: Object.fromEntries(Object.keys(features).map((name) => [name, "yes"])),
    });
  });

  test("is refused where tests disagree, or nobody looked", () => {
    expect(() => enginesOf([...all("yes"), { ...all("no")[0]! }])).toThrow("Chromium, calls: yes / no");
    expect(() => enginesOf(all("yes").slice(1))).toThrow("Chromium, calls: no test saw it");
    expect(() => enginesOf([...all("yes"), ...all("yes", "2.0")])).toThrow("Chromium, version: 1.0 / 2.0");
  });

  test("has the versions in which browsers have something whole and unasked", () => {
    const support = {
      chrome: { version_added: "91" },
      edge: [{ version_added: "preview" }, { version_added: "80", flags: [{}] }],
      firefox: [
        { version_added: "57", version_removed: "58" },
        { version_added: "79", notes: "isolated" },
      ],
      safari: { version_added: false },
      safari_ios: [{ version_added: "16.4" }, { version_added: "15", partial_implementation: true }],
    };
    const node = { __compat: { support } };
    const data = {
      webassembly: { "fixed-width-SIMD": node, "relaxed-SIMD": node, "threads-and-atomics": node },
      javascript: { builtins: { SharedArrayBuffer: node, Float16Array: node } },
    };
    const expected = { chrome: "91", edge: null, firefox: "79", safari: null, safari_ios: "16.4" };
    expect(Object.values(versionsIn(data))).toEqual(Object.keys(parts).map(() => expected));
    expect(() => versionsIn({ ...data, webassembly: {} })).toThrow("the data has no webassembly.fixed-width-SIMD");
  });
});
