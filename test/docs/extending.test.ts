// The examples of docs/extending.md run as they stand there: each part of a user's is used, and changes what a tuning does. Times
// are made up, so that nothing but the part makes a difference.

import { readFileSync } from "node:fs";
import { transform } from "esbuild";
import { beforeAll, describe, expect, test, vi } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import * as api from "../../src/api/index.ts";
import { authoring, opLibrary } from "../../src/compiler/index.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(5);

interface Example {
  readonly op: Parameters<typeof api.tune>[0];
  readonly options: api.TuneOptions;
  /** Kernels and options of `tuneAll`. */
  readonly kernels: readonly api.KernelToTune[];
  readonly all: api.TuneAllOptions;
  /** Values that the example names, by name. */
  readonly named: Readonly<Record<string, unknown>>;
}

const page = readFileSync("docs/extending.md", "utf8");
const sections = new Map(page.split("\n## ").map((text) => [text.slice(0, text.indexOf("\n")), text]));

/** Modules that examples import, and the names that stand for them in the code that is run. */
const modules: Readonly<Record<string, unknown>> = {
  "unplugin-kernel/op": authoring,
  "unplugin-kernel/ops": opLibrary,
  "./gemm.op.ts": gemm,
};

/** Runs the first example of a section, without tuning; returns what it would have tuned. */
async function exampleOf(title: string): Promise<Example> {
  const [, source = ""] = /^```ts\n(.*?)^```$/ms.exec(sections.get(title) ?? "") ?? [];
  const { code } = await transform(source, { loader: "ts", format: "esm" });
  const body = code.replaceAll(/^import (.+?) from "(.+?)";$/gms, "const $1 = modules[$2];".replace("$2", '"$2"'));
  expect(body).not.toMatch(/^import/m);
  const names = [...body.matchAll(/^const (\w+) =/gm)].map(([, name]) => name);
  const tuned = {};
  const tune = (op: unknown, options: unknown): void => void Object.assign(tuned, { op, options });
  const tuneAll = (kernels: unknown, all: unknown): void => void Object.assign(tuned, { kernels, all });
  const run = new Function("modules", `return (async () => {${body}; return { ${names.join(", ")} };})();`);
  const named = await run({ ...modules, "unplugin-kernel/api": { ...api, tune, tuneAll } });
  return { ...tuned, named } as Example;
}

/** Runs kernels here. The time of each is made up, and follows from its code. */
const still: api.OwnRunner = {
  name: "still",
  run: ({ artifact, inputs }) => ({
    ns: [madeUpNs(artifact)],
    outputs: [api.load(artifact)(...inputs) as Float32Array],
  }),
};

const madeUpNs = (artifact: api.Artifact): number =>
  artifact.kind === "wasm"
    ? 1000 + artifact.source.bytes.reduce((sum, byte, at) => (sum + byte * (at % 7)) % 997, 0)
    : 1;

const small = {
  target: "wasm",
  parameters: { M: 32, N: 32, K: 4 },
  budget: { seconds: 600, trials: 40 },
  runner: still,
} as const;

/** Candidates that a tuning measures, in their order. */
async function searched(options: Partial<api.TuneOptions>): Promise<readonly string[]> {
  const seen: string[] = [];
  await api.tune(gemm, { ...small, ...options, onTrial: ({ candidate }) => seen.push(JSON.stringify(candidate)) });
  return seen;
}

describe("a part of the search", () => {
  let tiles: Pick<api.TuneOptions, "templates" | "strategy">;
  let without: readonly string[];
  beforeAll(async () => {
    const { options } = await exampleOf("A cost model");
    tiles = { templates: options.templates!, strategy: "evolutionary" };
    without = await searched(tiles);
  });

  test("is all that makes a difference here", async () => {
    expect(without).toHaveLength(40);
    expect(await searched(tiles)).toEqual(without);
  });

  test("cost model: it is trained, asked, and changes what is measured", async () => {
    const { options } = await exampleOf("A cost model");
    const own = options.costModel as api.OwnCostModel;
    const fit = vi.fn(own.fit);
    expect(await searched({ ...tiles, costModel: { ...own, fit } })).not.toEqual(without);
    expect(fit).toHaveBeenCalled();
    const [{ features, scores }] = fit.mock.lastCall!;
    expect(features.rows).toBe(scores.length);
    expect(fit.mock.results[0]!.value.predict(features)).toHaveLength(features.rows);
  });

  turn("features: the cost model sees them alone", async () => {
    const { options } = await exampleOf("Features");
    const features = options.features as api.OwnFeatures;
    const widths = new Set<number>();
    const fit: api.OwnCostModel["fit"] = (set) => {
      widths.add(set.features.columns);
      return { predict: ({ rows }) => new Float64Array(rows) };
    };
    await searched({ ...tiles, features, costModel: { name: "spy", fit } });
    expect([...widths]).toEqual([features.columns.length]);
    expect(await searched({ ...tiles, features })).not.toEqual(without);
  });

  turn("mutators: more square tiles than without", async () => {
    const { options } = await exampleOf("Mutators");
    const [square] = options.mutators!;
    const mutate = vi.fn(square!.mutate);
    const isSquare = (candidate: string): boolean => {
      const { rows, columns } = JSON.parse(candidate).assignment;
      return rows === columns;
    };
    const withSquares = await searched({ ...tiles, mutators: [{ ...square!, mutate }] });
    expect(mutate).toHaveBeenCalled();
    expect(withSquares).not.toEqual(without);
    expect(withSquares.filter(isSquare).length).toBeGreaterThan(without.filter(isSquare).length);
    for (const strategy of ["default", "evolutionary"] as const)
      expect(await searched({ ...options, ...small, strategy })).toHaveLength(40);
  });
});

describe("what makes and limits a space", () => {
  turn("intrinsic: the rules use it in place of ours, and it computes what it means", async () => {
    const { op, options } = await exampleOf("Instructions");
    const { intrinsics, ...plain } = options;
    const [own] = intrinsics!;
    expect(api.explain(op, plain)).toContain("with vpmaddwd.256");
    expect(api.explain(op, options)).toContain("with avx2.dot4");
    await api.checkIntrinsic(own!, { target: "avx2" });
    const schedule = api.predictSchedule(op, options);
    expect(api.inspect(op, schedule, options).code).toContain("uk_own_avx2_dot4(");
    expect(await api.measure(op, schedule, { target: "avx2", intrinsics: intrinsics!, samples: 3 })).toMatchObject({
      kind: "ok",
    });
    expect(api.queryOf(op, options).targetClass).not.toBe(api.queryOf(op, plain).targetClass);
  });

  turn("target: vectors of half the width, and records of their own", async () => {
    const { options } = await exampleOf("A target");
    const wide = { ...options, target: "avx512" } as const;
    const lanesIn = (text: string): string | undefined => /split C\.j \[[^\]]*?(\d+)\]/.exec(text)?.[1];
    expect([lanesIn(api.explain(gemm, wide)), lanesIn(api.explain(gemm, options))]).toEqual(["16", "8"]);
    expect(api.queryOf(gemm, options).targetClass).toMatch(/^avx512 .* 32B .* own=avx512-256:[0-9a-f]{16}$/);
    expect(api.dump(gemm, api.predictSchedule(gemm, options), options).at(-1)!.text).toContain("_avx512_256(");
  });

  test("space: templates for small tasks, the rules for others", async () => {
    const { options } = await exampleOf("A space");
    const templateFor = (K: number): string =>
      api.predictSchedule(gemm, { ...options, target: "wasm", parameters: { M: 64, N: 64, K } }).template;
    expect(templateFor(8)).toBe("rows");
    expect(templateFor(64)).toBe(
      api.predictSchedule(gemm, { target: "wasm", parameters: { M: 64, N: 64, K: 64 } }).template,
    );
  });

  test("postprocessor: no unrolled loop is built", async () => {
    const { options } = await exampleOf("Postprocessors");
    const reasons = new Set<string>();
    const onTrial = ({ measurement }: api.TimedTrial): void => {
      if ("reason" in measurement) reasons.add(measurement.reason.split(":")[0]!);
    };
    const spy = vi.fn(options.postprocessors![0]!.apply);
    const postprocessors = [{ ...options.postprocessors![0]!, apply: spy }];
    const tuning = api.tune(gemm, {
      ...options,
      ...small,
      budget: { seconds: 600, trials: 12 },
      postprocessors,
      onTrial,
    });
    await tuning.catch((error: Error) => expect(error.message).toContain("is unrolled"));
    expect([...reasons]).toEqual(["no unrolled loops"]);
    expect(spy).toHaveBeenCalled();
  });
});

describe("what measures and keeps", () => {
  turn("builder: what it refuses is not run", async () => {
    const { options, named } = await exampleOf("A builder");
    const kinds: [kind: string, bytes: number][] = [];
    const sizes = named.sizes as readonly number[];
    const onTrial = ({ measurement: { kind } }: api.TimedTrial): void => void kinds.push([kind, 0]);
    const larger = { ...small, parameters: { M: 40, N: 40, K: 40 }, budget: { seconds: 600, trials: 24 } };
    const { failed, measured } = await api.tune(gemm, { ...options, ...larger, onTrial });
    expect(measured).toBe(kinds.length);
    expect(failed).toBe(kinds.filter(([kind]) => kind === "build-failed").length);
    expect(failed).toBe(sizes.filter((bytes) => bytes >= 1024).length);
    expect(failed).toBeGreaterThan(0);
    expect(failed).toBeLessThan(measured);
  });

  turn("runner: its times decide, and its outputs are checked", async () => {
    const { options } = await exampleOf("A runner");
    const own = options.runner as api.OwnRunner;
    const run = vi.fn(own.run);
    const few = { ...small, budget: { seconds: 600, trials: 3 } };
    const records = api.memoryDatabase();
    const tuned = await api.tune(gemm, { ...options, ...few, records, runner: { ...own, run } });
    expect(tuned).toMatchObject({ measured: 3, failed: 0 });
    expect(run.mock.calls.length).toBeGreaterThan(3);
    const [record] = records.records({ task: null, targetClass: null });
    expect(record!.toolchain).toBe("wasm, run by this process");
    const zeros: api.OwnRunner = { ...own, run: () => ({ ns: [1], outputs: [new Float32Array(32 * 32)] }) };
    const wrong = api.tune(gemm, { ...few, runner: zeros });
    await expect(wrong).rejects.toThrow("tune.nothing-ran");
    expect(await api.measure(gemm, tuned.schedule, { ...few, runner: still })).toMatchObject({
      kind: "ok",
      timing: { repeats: 1 },
    });
  });

  test("database: it is filled, and asked by the next tuning", async () => {
    const { options, named } = await exampleOf("A database");
    const table = named.table as readonly api.TuningRecord[];
    const few = { ...options, ...small, budget: { seconds: 600, trials: 5 } };
    expect(await api.tune(gemm, few)).toMatchObject({ measured: 5 });
    expect(table).toHaveLength(5);
    expect(await api.tune(gemm, { ...few, budget: { seconds: 600, trials: 8 } })).toMatchObject({ measured: 3 });
    const records = api.memoryDatabase();
    for (const record of table) records.append(record);
    const query = api.queryOf(gemm, small);
    expect(records.records(query)).toHaveLength(table.length);
    expect(records.fastest(query, 2)).toHaveLength(2);
    expect(await api.measure(gemm, records.best(query)!.candidate, { ...small, samples: 1 })).toMatchObject({
      kind: "ok",
    });
  });

  test("callback: it hears of each candidate and its result", async () => {
    const { options, named } = await exampleOf("Each trial");
    const { measured } = await api.tune(gemm, { ...options, ...small, budget: { seconds: 600, trials: 4 } });
    const log = named.log as readonly (readonly unknown[])[];
    expect(log).toHaveLength(measured);
    for (const [elapsedMs, template, assignment, result] of log) {
      expect(elapsedMs).toBeGreaterThan(0);
      expect(template).not.toBe("");
      expect(Object.keys(assignment as object).length).toBeGreaterThan(0);
      expect(result).toBeGreaterThanOrEqual(1000);
    }
  });

  turn("policy: it gives out the rounds", async () => {
    const { kernels, all } = await exampleOf("A policy");
    const own = all.policy as api.SchedulingPolicy;
    const chosen: number[] = [];
    const choose: api.SchedulingPolicy["choose"] = (tasks) => {
      const at = own.choose(tasks);
      chosen.push(tasks[at]!.flops);
      return at;
    };
    const turns: number[] = [];
    const onTrial = (kernel: number): void => void turns.push(kernel);
    const tiny = kernels.map(
      (kernel, at) => ({ ...kernel, target: "wasm", parameters: { M: 2 ** (at + 1), N: 8, K: 8 } }) as const,
    );
    const parts = { budget: { seconds: 600, trials: 4 }, runner: still, onTrial };
    const tuned = await api.tuneAll(tiny, { ...all, ...parts, policy: { ...own, choose } });
    expect(tuned).toHaveLength(3);
    expect(new Set(turns)).toEqual(new Set([0, 1, 2]));
    // First each kernel of which nothing is known, in their order.
    expect(chosen.length).toBeGreaterThan(3);
    expect(chosen.slice(0, 3)).toEqual([256, 512, 1024]);
  });
});

test("the page shows an example of each part in its table", () => {
  const parts = [...page.matchAll(/^\| \[[^\]]+\]\(#([a-z-]+)\)/gm)].map(([, anchor]) => anchor);
  const titles = [...sections.keys()].map((title) => title.toLowerCase().replaceAll(" ", "-"));
  expect(parts.length).toBeGreaterThan(10);
  expect(parts.filter((anchor) => !titles.includes(anchor!))).toEqual([]);
});
