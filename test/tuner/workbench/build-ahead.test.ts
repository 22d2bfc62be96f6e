// With builds that end when the test says so.

import { describe, expect, it } from "vitest";
import { type BuildPolicy, buildAhead, buildPolicy } from "../../../src/tuner/workbench/build-ahead.ts";

const items = ["a", "b", "c", "d", "e"];

/** Notes what is begun and lets the test end it. */
function fakeCompiler() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const build = (part: readonly string[], jobs: number) => {
    begun.push(`${part.join("")} with ${jobs}`);
    return new Promise<readonly string[]>((resolve) => ends.push(() => resolve(part.map((it) => it.toUpperCase()))));
  };
  return { begun, build, end: () => ends.shift()?.() };
}

describe("the policy", () => {
  it.each([1, 2, 3])("never compiles beside a measurement on %i cores", (cores) => {
    expect(buildPolicy(cores, 24)).toEqual({ parts: [24], jobs: cores, jobsBeside: 0 });
  });

  it("leaves two cores alone where there are four and more", () => {
    expect(buildPolicy(4, 24)).toEqual({ parts: [12, 12], jobs: 4, jobsBeside: 2 });
    expect(buildPolicy(16, 5)).toEqual({ parts: [3, 2], jobs: 16, jobsBeside: 14 });
    expect(buildPolicy(16, 1).parts).toEqual([1]);
  });

  it("gives the first a compiler each where something is to be measured soon", () => {
    expect(buildPolicy(2, 24, true)).toEqual({ parts: [2, 22], jobs: 2, jobsBeside: 0 });
    expect(buildPolicy(4, 24, true)).toEqual({ parts: [4, 10, 10], jobs: 4, jobsBeside: 2 });
    expect(buildPolicy(2, 1, true).parts).toEqual([1]);
  });
});

describe("building", () => {
  it("begins the second half when the first is ready, and gives all in order", async () => {
    const { begun, build, end } = fakeCompiler();
    const built = buildAhead(items, buildPolicy(8, items.length), build);
    const first = built.next();
    expect(begun).toEqual(["abc with 8"]);
    end();
    expect((await first).value).toBe("A");
    expect(begun).toEqual(["abc with 8", "de with 6"]);
    end();
    const rest = [];
    for await (const one of built) rest.push(one);
    expect(rest).toEqual(["B", "C", "D", "E"]);
  });

  it("begins no part while another is measured where the policy says no", async () => {
    const { begun, build, end } = fakeCompiler();
    const policy: BuildPolicy = { parts: [3, 2], jobs: 2, jobsBeside: 0 };
    const built = buildAhead(items, policy, build);
    const first = built.next();
    end();
    await first;
    await built.next();
    await built.next();
    expect(begun).toEqual(["abc with 2"]);
    const fourth = built.next();
    await new Promise(setImmediate);
    expect(begun).toEqual(["abc with 2", "de with 2"]);
    end();
    expect((await fourth).value).toBe("D");
  });

  it("tells of a failure when the part is asked for", async () => {
    const policy: BuildPolicy = { parts: [1, 4], jobs: 4, jobsBeside: 2 };
    const built = buildAhead(items, policy, async (part) => {
      if (part.includes("b")) throw new Error("no disk");
      return part;
    });
    expect((await built.next()).value).toBe("a");
    await new Promise(setImmediate);
    await expect(built.next()).rejects.toThrow("no disk");
  });

  it("of nothing is nothing", async () => {
    const { begun, build } = fakeCompiler();
    const built = buildAhead([], { parts: [], jobs: 1, jobsBeside: 0 }, build);
    expect(await built.next()).toEqual({ done: true, value: undefined });
    expect(begun).toEqual([]);
  });
});
