import { describe, expect, it } from "vitest";
import { checkParameters, parseRequest, requestTargets } from "../../../src/plugin/request/request.ts";

const settings = { fallback: "wasm", threads: 1, trials: null, seconds: null, sync: null, parameters: {} };

describe("parseRequest", () => {
  it("leaves other imports alone", () => {
    for (const other of ["./gemm.op.ts", "./gemm.op.ts?raw", "./a.ts?M=3", "./a.ts?tuned=1", "./tune=wasm.ts"]) {
      expect(parseRequest(other)).toBe(null);
    }
  });

  it("reads keys of ours and parameters of the operator", () => {
    const query = "tune=avx512&fallback=none&threads=2&trials=100&seconds=7&sync&M=64&dtype=bf16&bias=-1";
    expect(parseRequest(`./gemm.op.ts?${query}`)).toEqual({
      path: "./gemm.op.ts",
      settings: {
        target: "avx512",
        fallback: "none",
        threads: 2,
        trials: 100,
        seconds: 7,
        sync: true,
        parameters: { M: 64, bias: -1, dtype: "bf16" },
      },
      query: "?M=64&bias=-1&dtype=bf16&fallback=none&seconds=7&sync=1&threads=2&trials=100&tune=avx512",
    });
  });

  it("has one spelling for one kernel", () => {
    const plain = parseRequest("/a/gemm.op.ts?tune=wasm&M=64");
    expect(plain).toEqual({
      path: "/a/gemm.op.ts",
      settings: { ...settings, target: "wasm", parameters: { M: 64 } },
      query: "?M=64&tune=wasm",
    });
    for (const query of ["M=64&tune=wasm", "tune=wasm&M=064&threads=1&fallback=wasm", "&tune=wasm&&M=64"]) {
      expect(parseRequest(`/a/gemm.op.ts?${query}`)).toEqual(plain);
    }
  });

  it("takes what Vite adds as noise, and a parameter of that name as a parameter", () => {
    expect(parseRequest("./g.op.ts?import&tune=wasm&t=1763706000000&v=0badc0de")?.query).toBe("?tune=wasm");
    expect(parseRequest("./g.op.ts?tune=wasm&t=4&v=2")?.settings.parameters).toEqual({ t: 4, v: 2 });
  });

  it.each([
    [
      "tune=sse9",
      `request.bad-value: tune is "sse9" in "./g.op.ts?tune=sse9"
  hint: tune may be ${requestTargets.join(", ")}`,
    ],
    [
      "tune",
      `request.bad-value: tune is "" in "./g.op.ts?tune"
  hint: tune may be ${requestTargets.join(", ")}`,
    ],
    [
      "tune=wasm&threads=0",
      `request.bad-value: threads is "0" in "./g.op.ts?tune=wasm&threads=0"
  hint: threads may be a whole number from 1 to 256`,
    ],
    [
      "tune=wasm&seconds=1e3",
      `request.bad-value: seconds is "1e3" in "./g.op.ts?tune=wasm&seconds=1e3"
  hint: seconds may be a whole number from 1 to 604800`,
    ],
    [
      "tune=wasm&fallback=js",
      `request.bad-value: fallback is "js" in "./g.op.ts?tune=wasm&fallback=js"
  hint: fallback may be none, wasm`,
    ],
    [
      "tune=wasm&sync=yes",
      `request.bad-value: sync is "yes" in "./g.op.ts?tune=wasm&sync=yes"
  hint: sync may be nothing, 1 or 0`,
    ],
    [
      "tune=wasm&M=1.5",
      `request.bad-character: "M=1.5" in "./g.op.ts?tune=wasm&M=1.5"
  hint: keys and values are made of A-Z a-z 0-9 _ -`,
    ],
    [
      "tune=wasm&raw",
      `request.no-value: raw has no value in "./g.op.ts?tune=wasm&raw"
  hint: write raw=<value> for a parameter of the operator; the other keys are fallback, seconds, sync, threads, trials, tune`,
    ],
    [
      "tune=wasm&M=1&M=2",
      `request.twice: M is given twice in "./g.op.ts?tune=wasm&M=1&M=2"
  hint: keep one of the two`,
    ],
  ])("refuses %s", (query, message) => {
    expect(() => parseRequest(`./g.op.ts?${query}`)).toThrow(expect.objectContaining({ message }));
  });
});

describe("checkParameters", () => {
  const defaults = { M: 512, N: 512, dtype: "f32" };

  it("puts the import's values in place of the defaults", () => {
    expect(checkParameters("gemm.op.ts", defaults, { dtype: "f16", N: 3 })).toEqual({ M: 512, N: 3, dtype: "f16" });
  });

  it.each([
    [
      { Q: 1 },
      `request.unknown-key: gemm.op.ts has no parameter Q
  hint: its parameters are M, N, dtype; the other keys are fallback, seconds, sync, threads, trials, tune`,
    ],
    [
      { toString: 1 },
      `request.unknown-key: gemm.op.ts has no parameter toString
  hint: its parameters are M, N, dtype; the other keys are fallback, seconds, sync, threads, trials, tune`,
    ],
    [
      { M: "many" },
      `request.bad-value: parameter M of gemm.op.ts is "many"
  hint: M may be a whole number`,
    ],
    [
      { dtype: "f128" },
      `request.bad-value: parameter dtype of gemm.op.ts is "f128"
  hint: dtype may be f64, f32, f16, bf16, i32, i16, i8, u8, bool`,
    ],
  ])("refuses %j", (given, message) => {
    expect(() => checkParameters("gemm.op.ts", defaults, given)).toThrow(expect.objectContaining({ message }));
  });
});
