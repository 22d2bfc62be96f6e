import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { lineDiff } from "../../../src/plugin/report/page/line-diff.ts";

const text = (...lines: readonly string[]): string => lines.join("\n");

describe("two texts side by side", () => {
  it("what is equal stands beside each other, what one has alone beside nothing", () => {
    expect(lineDiff(text("a", "b", "c", "d"), text("a", "x", "c", "y", "d"))).toEqual([
      { left: "a", right: "a", isSame: true },
      { left: "b", right: "x", isSame: false },
      { left: "c", right: "c", isSame: true },
      { left: null, right: "y", isSame: false },
      { left: "d", right: "d", isSame: true },
    ]);
  });

  it("of texts that are too long to compare, the middle is different", () => {
    const lines = (word: string): string[] => Array.from({ length: 3100 }, (_, at) => `${word} ${at}`);
    const pairs = lineDiff(text("first", ...lines("a"), "last"), text("first", ...lines("b"), "last"));
    expect(pairs).toHaveLength(3102);
    expect(pairs.filter(({ isSame }) => isSame).map(({ left }) => left)).toEqual(["first", "last"]);
  });

  const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
  test.prop([lines, lines])("no line is lost, none is made up", (left, right) => {
    const pairs = lineDiff(text(...left), text(...right));
    const side = (of: "left" | "right"): string => text(...pairs.flatMap((pair) => pair[of] ?? []));
    expect(side("left")).toBe(text(...left));
    expect(side("right")).toBe(text(...right));
    expect(pairs.every(({ left: one, right: other, isSame }) => isSame === (one === other && one !== null))).toBe(true);
  });
});
