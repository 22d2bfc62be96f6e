// `bench` on tiny kernels: who takes part, that results are checked, and peers. Times are not judged.

import { beforeAll, describe, expect, test } from "vitest";
import { inTurn } from "../../support/long.ts";
import { runCli, writeProject } from "../project.ts";

const turn = inTurn(3);

const operator = (body: string): string => `import { withConstants } from "unplugin-kernel/op";
import { gemm } from "unplugin-kernel/ops";
${body}
`;

/** A product by hand, a wrong one, one that throws, and one that has nothing for this kernel. */
const peers = {
  "by-hand.mjs": `export default ({ op, parameters, tensors: [a, b] }) => async (A, B, C) => {
  const [M, K] = a.shape, N = b.shape[1];
  if (op !== "gemm" || parameters.M !== M) throw new Error("told something else");
  for (let i = 0; i < M; i++) for (let j = 0; j < N; j++) {
    let sum = 0;
    for (let k = 0; k < K; k++) sum += A[i * K + k] * B[k * N + j];
    C[i * N + j] = sum;
  }
};`,
  "wrong.mjs": "export default () => (A, B, C) => void C.fill(0.5);",
  "lazy.mjs": "export default () => () => {};",
  "broken.mjs": 'export default () => { throw new Error("not today"); };',
  "other.mjs": "export default () => null;",
};

const project = (specifier = "./gemm.op.ts?tune=wasm"): string =>
  writeProject({
    ...peers,
    "no-peer.mjs": "export const a = 1;",
    "src/gemm.op.ts": operator("export default gemm({ M: 4, N: 8, K: 8 });"),
    "src/layer.op.ts": operator('export default withConstants(gemm({ M: 4, N: 8, K: 8 }), "B");'),
    "src/main.ts": `import kernel from "${specifier}";\nconsole.log(kernel);\n`,
  });

interface Row {
  readonly name: string;
  readonly isBound: boolean;
  readonly isRight: boolean | null;
  readonly why: string | null;
  readonly times: {
    readonly medianNs: number;
    readonly p20Ns: number;
    readonly p80Ns: number;
    readonly samples: number;
  } | null;
  readonly gflops: number | null;
}

function benched(root: string, ...args: readonly string[]) {
  const { exitCode, output, errors } = runCli(root, "bench", "--seconds", "0.2", "--json", ...args);
  const { kernels } = JSON.parse(output || "{}");
  const rows: readonly Row[] = kernels?.[0]?.bench?.rows ?? [];
  return { exitCode, errors, kernels, rowOf: (name: string) => rows.find((row) => row.name === name)! };
}

describe("bench", () => {
  turn("measures the twins and the loops, each with its results checked", () => {
    const { exitCode, kernels, rowOf } = benched(project());
    expect(exitCode).toBe(0);
    expect(kernels).toMatchObject([
      { kernel: "src/gemm.op.ts?tune=wasm", error: null, bench: { origin: "predicted", flops: 512 } },
    ]);
    const names = kernels[0].bench.rows.map(({ name }: Row) => name);
    expect(names).toEqual(["wasm-relaxed", "wasm", "reference"]);
    for (const name of ["wasm", "reference"]) {
      const { times, gflops, isRight, why } = rowOf(name);
      expect({ isRight, why }).toEqual({ isRight: true, why: null });
      expect(times!.samples).toBeGreaterThanOrEqual(3);
      expect(times!.p20Ns).toBeLessThanOrEqual(times!.medianNs);
      expect(times!.medianNs).toBeLessThanOrEqual(times!.p80Ns);
      expect(gflops).toBeCloseTo(512 / times!.medianNs, 9);
    }
    const bound = kernels[0].bench.rows.filter(({ isBound }: Row) => isBound);
    expect(bound).toMatchObject([{ isRight: true }]);
    const relaxed = rowOf("wasm-relaxed");
    expect(relaxed.isBound).toBe(relaxed.times !== null);
    expect(relaxed.why).toBe(relaxed.times === null ? "the engine has no relaxed SIMD" : null);
  });

  turn("packs constants once", () => {
    const { exitCode, rowOf } = benched(project("./layer.op.ts?tune=wasm"));
    expect(exitCode).toBe(0);
    expect(rowOf("wasm")).toMatchObject({ isRight: true, times: { samples: expect.any(Number) } });
    expect(rowOf("reference")).toMatchObject({ isRight: true });
  });

  describe("with peers", () => {
    let result: ReturnType<typeof benched>;
    beforeAll(() => {
      result = benched(project(), ...Object.keys(peers).flatMap((peer) => ["--peer", peer]));
    });

    test("measures those that are right, by their names", () => {
      expect(result.rowOf("by-hand")).toMatchObject({ isRight: true, why: null, isBound: false });
      expect(result.rowOf("by-hand").times!.samples).toBeGreaterThanOrEqual(3);
      expect(result.rowOf("other")).toBeUndefined();
    });

    test("says what is wrong with the others, and ends with 1", () => {
      expect(result.rowOf("wrong")).toMatchObject({ isRight: false, times: null });
      expect(result.rowOf("wrong").why).toMatch(
        /^C\[0, 0\] is 0\.5, the reference gives -?\d+ \(32 of 32 elements differ\)$/,
      );
      expect(result.rowOf("lazy").why).toMatch(/^C\[0, 0\] is not written/);
      expect(result.rowOf("broken")).toMatchObject({ isRight: null, why: "not today", times: null });
      expect(result.exitCode).toBe(1);
    });
  });

  turn("a peer that is none, and two of one name", () => {
    const root = project();
    expect(runCli(root, "bench", "--peer", "no-peer.mjs").errors).toContain(
      "no-peer.mjs is no peer: it has no function as its default export",
    );
    const missing = runCli(root, "bench", "--peer", "nothing.mjs");
    expect(missing.errors).toMatch(/^bench\.bad-peer: .*nothing\.mjs is no peer: Cannot find module/);
    expect(missing.exitCode).toBe(1);
    const twice = runCli(root, "bench", "--peer", "other.mjs", "--peer", "./other.mjs");
    expect(twice).toMatchObject({ exitCode: 2 });
    expect(twice.errors).toContain("command.bad-argument: two peers are called other");
  });

  turn("a table for people", () => {
    const { output, exitCode } = runCli(project(), "bench", "--seconds", "0.1");
    expect(exitCode).toBe(0);
    expect(output).toMatch(
      /^src\/gemm\.op\.ts\?tune=wasm, schedule: predicted\n\| +\| GFLOP\/s \| +a call \| +spread \| of the loops \|/,
    );
    expect(output).toMatch(/\n\| reference +\| +[\d.]+ \| +[\d.]+ (ns|µs|ms) \| +[\d.]+ % \| +1\.0 × \|/);
    expect(output).toContain("(bound)");
  });
});
