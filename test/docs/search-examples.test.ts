// The first examples of docs/search.md, docs/templates.md and docs/rules.md run as they stand there, and with every strategy.

import { readFileSync } from "node:fs";
import { transform } from "esbuild";
import { describe, expect, test } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import * as api from "../../src/api/index.ts";
import { strategyNames } from "../../src/tuner/search/strategy/strategy.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(5);

interface Call {
  readonly op: unknown;
  readonly options: api.TuneOptions;
}

/** The blocks of code of a page that tune the operator of its documentation. */
const examplesOf = (page: string): readonly string[] =>
  [...readFileSync(`docs/${page}`, "utf8").matchAll(/^```ts\n(.*?)^```$/gms)]
    .map(([, code = ""]) => code)
    .filter((code) => code.includes('from "./gemm.op.ts"') && code.includes("await tune("));

/** Arguments that an example gives to `tune`. */
async function callsOf(example: string): Promise<readonly Call[]> {
  const { code } = await transform(example, { loader: "ts", format: "esm" });
  const body = code
    .replace(/^import (\{.*?\}) from "unplugin-kernel\/api";$/ms, "const $1 = api;")
    .replace(/^import gemm from "\.\/gemm\.op\.ts";$/m, "");
  expect(body).not.toMatch(/^import/m);
  const made: Call[] = [];
  const tune = (op: unknown, options: api.TuneOptions): void => void made.push({ op, options });
  const run = new Function("api", "gemm", `return (async () => {${body}})();`);
  await run({ ...api, tune }, gemm);
  return made;
}

/** Target, size and budget that replace the example's. */
const small = { target: "wasm", parameters: { M: 8, N: 16, K: 8 }, budget: { seconds: 600, trials: 3 } } as const;

const pages = ["search.md", "templates.md", "rules.md"];
const calls = new Map<string, readonly Call[]>();
for (const page of pages) calls.set(page, (await Promise.all(examplesOf(page).map(callsOf))).flat());

test.each(pages)("docs/%s shows a tuning of the operator", (page) => {
  expect(calls.get(page)!.length).toBeGreaterThan(0);
  for (const { op, options } of calls.get(page)!) {
    expect(op).toBe(gemm);
    expect(options.target).toBe("native");
  }
});

turn("the strategy of docs/search.md finds its way", async () => {
  const { options } = calls.get("search.md")!.find((call) => typeof call.options.strategy === "object")!;
  const tuned = await api.tune(gemm, { ...options, ...small, budget: { seconds: 600, trials: 30 } });
  expect(tuned).toMatchObject({ measured: 30, failed: 0, repeated: 0 });
});

describe.each(["templates.md", "rules.md"])("the examples of docs/%s", (page) => {
  turn.each(strategyNames)("run with strategy %s", async (strategy) => {
    for (const { options } of calls.get(page)!) {
      const tuned = await api.tune(gemm, { ...options, ...small, strategy });
      expect(tuned).toMatchObject({ measured: 3, failed: 0 });
    }
  });
});
