// Stacks as engines write them, and how the user's frame is found in them.

import { describe, expect, test } from "vitest";
import {
  callSite,
  captureFrames,
  currentMapper,
  parseStack,
  plainMapper,
  withMapper,
} from "../../../src/compiler/index.ts";
import { codeFrame } from "../../../src/compiler/support/code-frame.ts";

describe("call sites", () => {
  test("both forms of a frame are read, with spaces and parentheses in names", () => {
    const stack = [
      "Error: a (b:1:2)",
      "    at build (/home/a b/gemm.op.ts:8:52)",
      "    at Object.<anonymous> (file:///home/a%20b/gemm.op.ts:1:1)",
      "    at file:///x/y.js:3:4",
      "    at async Promise.all (index 0)",
      "    at Array.map (<anonymous>)",
    ].join("\n");
    expect(parseStack(stack)).toEqual([
      { file: "/home/a b/gemm.op.ts", line: 8, column: 52 },
      { file: "/home/a b/gemm.op.ts", line: 1, column: 1 },
      { file: "/x/y.js", line: 3, column: 4 },
    ]);
  });

  test("frames of Firefox and Safari are read, too", () => {
    const stack = [
      "build/<@blob:http://localhost:5173/0f3c-4d:8:52",
      "@https://docs.example/@scope/worker.js:3:4",
      "module code@https://docs.example/main.js:1:9",
      "[native code]",
    ].join("\n");
    expect(parseStack(stack)).toEqual([
      { file: "blob:http://localhost:5173/0f3c-4d", line: 8, column: 52 },
      { file: "https://docs.example/@scope/worker.js", line: 3, column: 4 },
      { file: "https://docs.example/main.js", line: 1, column: 9 },
    ]);
    expect(parseStack("TypeError: no such user: a@b:1:2")).toEqual([]);
  });

  test("our own frames are skipped", () => {
    expect(captureFrames()[0]!.file).toMatch(/call-site\.ts$/);
    expect(callSite(plainMapper)!.file).toMatch(/call-site\.test\.ts$/);
  });

  test("the mapper before comes back, whatever happens", () => {
    const nowhere = { locate: () => null, line: () => null };
    expect(withMapper(nowhere, () => callSite(currentMapper()))).toBeNull();
    expect(() =>
      withMapper(nowhere, () => {
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(currentMapper()).toBe(plainMapper);
  });
});

describe("codeFrame", () => {
  const at = (line: string, column: number): string => codeFrame(line, { file: "x", line: 12, column }, null);

  test("underlines the call, with the parentheses inside of it", () => {
    expect(codeFrame("  f(a, g(b)(c), d);", { file: "x", line: 7, column: 3 }, "a note")).toBe(
      ["   7 |   f(a, g(b)(c), d);", "     |   ^^^^^^^^^^^^^^^^ a note"].join("\n"),
    );
  });

  test("underlines a name, an open call, or one character", () => {
    expect(at("x.first.second + 1", 1).split("\n")[1]).toBe("     | ^^^^^^^^^^^^^^");
    expect(at("compute(a, () => {", 1).split("\n")[1]).toBe("     | ^^^^^^^^^^^^^^^^^^");
    expect(at("new RangeError(1)", 1).split("\n")[1]).toBe("     | ^^^^^^^^^^^^^^^^^");
    expect(at("(;", 2).split("\n")[1]).toBe("     |  ^");
  });
});
