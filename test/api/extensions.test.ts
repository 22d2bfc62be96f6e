// Objects of a user's that are wrong: the error names the field, or the function and what it returned.

import { describe, expect, test } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import {
  checkIntrinsic,
  type DiagnosticError,
  exportBatch,
  type KernelOptions,
  load,
  measure,
  memoryDatabase,
  type OwnRunner,
  type OwnTarget,
  predictSchedule,
  queryOf,
  type TuneAllOptions,
  type TuneOptions,
  template,
  tune,
  tuneAll,
} from "../../src/api/index.ts";
import { authoring, targetNames } from "../../src/compiler/index.ts";

const { compute, defineOp, reduceAxis, sum, tensor } = authoring;

/** Code and message of the error that some work ends with. */
async function refusalOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    return (error as DiagnosticError).message.split("\n")[0]!;
  }
  return "nothing was refused";
}

const rows = template("rows", (t) => {
  t.split("C.i", [0, t.sampleCategorical("rows", [1, 2, 3, 4, 5, 6, 7, 8])], "cut");
  t.split("C.j", [0, t.sampleCategorical("columns", [1, 2, 3, 4, 5, 6, 7, 8])], "cut");
});
const small = { target: "wasm", parameters: { M: 8, N: 8, K: 8 }, templates: [rows] } as const;

/** Runs kernels in this process, with made-up times. */
const here: OwnRunner = {
  name: "here",
  run: ({ artifact, inputs }) => ({ ns: [1000], outputs: [load(artifact)(...inputs) as Float32Array] }),
};
const tuning = (options: object): Promise<unknown> =>
  tune(gemm, { ...small, budget: { seconds: 600, trials: 4 }, runner: here, ...options } as TuneOptions);

describe("a target of one's own", () => {
  const own = { name: "mine", of: "avx2" };
  test.each([
    ["no name", { of: "avx2" }, "target.name is nothing, a name of lower case letters, digits and dashes is wanted"],
    ["a name of ours", { name: "avx512", of: "avx2" }, "target.name is avx512, which is one of ours"],
    ["no base", { name: "mine" }, `target.of is nothing, one of ${targetNames.join(", ")} is wanted`],
    ["48 bytes", { ...own, vectorBytes: 48 }, "target.vectorBytes is 48, one of 16, 32, 64 is wanted"],
    ["wide WASM", { name: "mine", of: "wasm", vectorBytes: 32 }, "target.vectorBytes is 32, one of 16 is wanted"],
    ["a text of features", { ...own, features: "avx2" }, 'target.features is "avx2", a list, each of it a feature'],
    ["a compiler's option", { ...own, features: ["avx2 -o x"] }, 'target.features is ["avx2 -o x"], a list,'],
    ["a negative cache", { ...own, l1Bytes: -1 }, "target.l1Bytes is -1, an integer from 1024 to "],
    ["a typing mistake", { ...own, l1bytes: 65536 }, "target has no field l1bytes"],
  ])("%s", async (_, target, message) => {
    const refusal = await refusalOf(() => queryOf(gemm, { ...small, target: target as OwnTarget }));
    expect(refusal.slice(0, `extension.malformed: ${message}`.length)).toBe(`extension.malformed: ${message}`);
  });

  test("an unknown name of ours", async () => {
    const target = "avx3" as "avx2";
    expect(await refusalOf(() => queryOf(gemm, { ...small, target }))).toBe('extension.malformed: target is "avx3"');
  });

  test("targets that differ in a number have records of their own", () => {
    const classOf = (target: KernelOptions["target"]): string => queryOf(gemm, { ...small, target }).targetClass;
    const mine = { name: "mine", of: "avx2" } as const;
    const classes = [
      classOf("avx2"),
      classOf(mine),
      classOf({ ...mine, hasFma: false }),
      classOf({ ...mine, name: "other" }),
    ];
    expect(new Set(classes).size).toBe(4);
    expect(classOf({ ...mine, features: ["fma", "avx2", "avx", "f16c"] })).toBe(
      classOf({ ...mine, features: ["avx", "avx2", "f16c", "fma"] }),
    );
  });

  test("is not sent elsewhere", async () => {
    const options = { ...small, target: { name: "mine", of: "wasm", vectorRegisters: 12 } } as const;
    const schedule = predictSchedule(gemm, options);
    expect(await refusalOf(() => exportBatch(gemm, [schedule], options))).toMatch(/^batch.own-target: /);
  });
});

/** C[lane] += A[lane, step] · B[lane, step] */
const dots = (lanes: number, group: number) =>
  defineOp({}, () => {
    const [A, B] = [tensor("A", [lanes, group], "i16"), tensor("B", [lanes, group], "i16")];
    const step = reduceAxis("step", group);
    return compute("C", [lanes], (lane) => sum(A(lane, step).cast("i32").mul(B(lane, step).cast("i32")), step));
  });

describe("an intrinsic of one's own", () => {
  const own = {
    name: "mine.dot",
    features: ["simd128"],
    meaning: dots(4, 2),
    text: { wasm: ["i32x4.dot_i16x8_s", "i32x4.add"] },
  };
  const check = (intrinsic: object): Promise<string> =>
    refusalOf(() => checkIntrinsic({ ...own, ...intrinsic }, { target: "wasm" }));

  test.each([
    ["a name of ours", { name: "vpmaddwd.256" }, "intrinsics[0].name is vpmaddwd.256, which is one of ours"],
    [
      "no meaning",
      { meaning: undefined },
      "intrinsics[0].meaning is nothing, an operator, as defineOp makes it, is wanted",
    ],
    [
      "two texts",
      { text: { c: "A", wasm: [] } },
      'intrinsics[0].text is {"c":"A","wasm":[]}, { c } or { wasm } is wanted',
    ],
    [
      "an unknown opcode",
      { text: { wasm: ["i32x4.dot"] } },
      'intrinsics[0].text.wasm is ["i32x4.dot"], a list, each of it',
    ],
    ["half a text", { text: { c: { gcc: "A" } } }, "intrinsics[0].text.c.clang is nothing, text is wanted"],
    ["no vector", { meaning: dots(3, 2) }, "intrinsics[0].meaning has C of 12 bytes, 16 bytes is wanted"],
    ["a map", { meaning: mapOf() }, "intrinsics[0].meaning is no single reduction"],
  ])("%s", async (_, intrinsic, message) => {
    const refusal = await check(intrinsic);
    expect(refusal.slice(0, `extension.malformed: ${message}`.length)).toBe(`extension.malformed: ${message}`);
  });

  test("that computes its meaning", async () => {
    expect(await check({})).toBe("nothing was refused");
  });

  test("that computes something else is found by running it", async () => {
    expect(await check({ text: { wasm: ["i32x4.dot_i16x8_s", "i32x4.sub"] } })).toMatch(
      /^intrinsic.wrong: intrinsic mine.dot does not compute its meaning: C\[\d+\] is -?\d+, the reference gives -?\d+ /,
    );
    const wrong = { ...own, text: { wasm: ["i32x4.dot_i16x8_s", "i32x4.sub"] } };
    expect(await refusalOf(() => tuning({ intrinsics: [wrong] }))).toMatch(/^intrinsic.wrong: /);
  });
});

function mapOf() {
  return defineOp({}, () => {
    const A = tensor("A", [4], "i32");
    return compute("C", [4], (lane) => A(lane).add(1));
  });
}

describe("a part of a tuning", () => {
  const nothing = (): null => null;
  const three = (): number => 3;
  const yes = (): boolean => true;
  const no = (): boolean => false;
  const boom = (): never => {
    throw new TypeError("no such thing");
  };
  /** More candidates than one round has: the cost model is asked about the second. */
  const learning = { strategy: "evolutionary", budget: { seconds: 600, trials: 30 } } as const;
  const model = (fit: unknown) => ({
    costModel: { name: "own", fit },
    ...learning,
  });

  test.each([
    [
      "cost model without fit",
      { costModel: { name: "own" } },
      "malformed: costModel.fit is nothing, a function is wanted",
    ],
    ["cost model of a name", { costModel: "trees" }, 'malformed: there is no costModel "trees"'],
    [
      "features of no columns",
      { features: { name: "own", row: () => [] } },
      "malformed: features.columns is nothing, a list,",
    ],
    [
      "features of another length",
      { features: { name: "own", columns: ["a"], row: () => [1, 2] }, ...learning },
      'bad-answer: row of features "own" returns [1,2], a list of 1 finite numbers is wanted',
    ],
    [
      "features that throw",
      { features: { name: "own", columns: ["a"], row: boom }, ...learning },
      'threw: row of features "own" has thrown TypeError: no such thing',
    ],
    ["no mutators", { mutators: [] }, "malformed: mutators is no list of at least one"],
    [
      "a mutator without weight",
      { mutators: [{ name: "own", mutate: nothing }] },
      "malformed: mutators[0].weight is nothing, a number",
    ],
    [
      "mutators for random",
      { strategy: "random", mutators: [{ name: "own", weight: 1, mutate: nothing }] },
      'malformed: mutators are given, and strategy "random" takes none',
    ],
    [
      "a mutator's answer",
      { mutators: [{ name: "own", weight: 1, mutate: three }] },
      'bad-answer: mutator "own" returns 3, a point, a candidate',
    ],
    ["a runner without run", { runner: { name: "own" } }, "malformed: runner.run is nothing, a function is wanted"],
    [
      "a runner's answer",
      { runner: { name: "own", run: () => 3 } },
      'bad-answer: run of runner "own" returns 3, { ns, outputs } or { failed } is wanted',
    ],
    [
      "a runner without times",
      { runner: { name: "own", run: () => ({ ns: [], outputs: [] }) } },
      'bad-answer: run of runner "own" returns [], ns, a list of positive times, is wanted',
    ],
    [
      "a runner's output",
      { runner: { name: "own", run: () => ({ ns: [1], outputs: [new Float32Array(3)] }) } },
      'bad-answer: run of runner "own" returns ',
    ],
    [
      "a runner that throws",
      { runner: { name: "own", run: boom } },
      'threw: run of runner "own" has thrown TypeError: no such thing',
    ],
    [
      "a builder without build",
      { builder: { name: "own" } },
      "malformed: builder.build is nothing, a function is wanted",
    ],
    [
      "a builder's answer",
      { builder: { name: "own", build: () => null } },
      'bad-answer: build of builder "own" returns null, an artifact',
    ],
    [
      "a database without append",
      { records: { records: () => [] } },
      "malformed: records.append is nothing, a function is wanted",
    ],
    [
      "a database's record",
      { records: { records: () => [{}], append: () => undefined } },
      "bad-answer: records of the database returns {}, a record: record.",
    ],
    [
      "a database that waits",
      { records: { records: () => [], append: async () => undefined } },
      "bad-answer: append of the database returns a promise, nothing: it is synchronous",
    ],
    ["a callback that throws", { onTrial: boom }, "threw: onTrial has thrown TypeError: no such thing"],
    [
      "a rule without apply",
      { rules: [{ name: "own", applies: no }] },
      "malformed: rules[0].apply is nothing, a function is wanted",
    ],
    [
      "a rule without drafts",
      { templates: ["generated"], rules: [{ name: "own", applies: yes, apply: () => [] }] },
      'bad-answer: apply of rule "own" returns [], a list of at least one draft is wanted',
    ],
    [
      "a postprocessor's verdict",
      { postprocessors: [{ name: "own", apply: () => true }] },
      'bad-answer: apply of postprocessor "own" returns true, { kind: "ok" }',
    ],
    [
      "a generator's answer",
      { templates: [{ name: "own", generate: () => 3 }] },
      'bad-answer: generate of "own" returns 3, a list of templates',
    ],
    [
      "no generator",
      { templates: [{ name: "own" }] },
      "malformed: templates[0].generate is nothing, a function is wanted",
    ],
    [
      "a predictor",
      model(() => ({})),
      'bad-answer: costModel "own".fit returns {}, an object with a function predict is wanted',
    ],
  ])("%s", async (_, options, message) => {
    const refusal = await refusalOf(() => tuning(options));
    expect(refusal.slice(0, `extension.${message}`.length)).toBe(`extension.${message}`);
  });

  test("a runner's failures are failures of candidates", async () => {
    const runner = { name: "own", run: () => ({ failed: "no power" }) };
    expect(await measure(gemm, predictSchedule(gemm, small), { ...small, runner })).toEqual({
      kind: "crashed",
      reason: "no power",
    });
  });

  test("records of a runner or a builder are kept apart", async () => {
    const records = memoryDatabase();
    const builder = { name: "mine", build: (request: never, standard: (same: never) => never) => standard(request) };
    await tuning({ records });
    await tuning({ records, builder });
    const toolchains = records.records({ task: null, targetClass: null }).map(({ toolchain }) => toolchain);
    expect([...new Set(toolchains)]).toEqual(["wasm, run by here", "wasm, built by mine, run by here"]);
  });

  test.each([
    ["an unknown one", "fastest", 'extension.malformed: there is no policy "fastest"'],
    ["without choose", { name: "own" }, "extension.malformed: policy.choose is nothing, a function is wanted"],
    [
      "that chooses nobody",
      { name: "own", choose: () => 7 },
      'extension.bad-answer: choose of policy "own" returns 7, the index of one of 1 tasks is wanted',
    ],
  ])("a policy: %s", async (_, policy, message) => {
    const options = { seconds: 600, runner: here, policy } as TuneAllOptions;
    expect(await refusalOf(() => tuneAll([{ op: gemm, ...small }], options))).toBe(message);
  });
});
