// Decisions from one project's store into another's: what arrives is used without measuring, what is wrong is named and left.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { parseExchange, printExchange, type SharedDecision } from "../../../src/tuner/store/exchange.ts";
import { storedDecisions } from "../../../src/tuner/store/store-contents.ts";
import { compileIn, machineWith } from "../../support/compile-app.ts";
import { inTurn } from "../../support/long.ts";
import { gemm, runCli, writeProject } from "../project.ts";

const turn = inTurn(5);

const files = {
  "src/gemm.op.ts": gemm,
  "src/main.ts": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n',
};
const kernel = "src/gemm.op.ts?tune=wasm";

describe("cache export and import", () => {
  let origin: string;
  let text: string;
  beforeAll(() => {
    origin = writeProject(files);
    runCli(origin, "tune", "--seconds", "600", "--trials", "4");
    expect(runCli(origin, "cache", "export", "out/decisions.jsonl")).toEqual({
      exitCode: 0,
      output: "1 decision in out/decisions.jsonl\n",
      errors: "",
    });
    text = readFileSync(join(origin, "out/decisions.jsonl"), "utf8");
  });

  /** Another project with the same kernel, and a file to import. */
  const projectWith = (content: string): string => writeProject({ ...files, "decisions.jsonl": content });
  const importIn = (root: string) => {
    const { exitCode, output } = runCli(root, "cache", "import", "decisions.jsonl", "--json");
    return { exitCode, ...JSON.parse(output) };
  };
  /** Decisions in its store. */
  const storedIn = (root: string): number =>
    JSON.parse(runCli(root, "cache", "ls", "--json").output).items.filter(
      ({ kind }: { kind: string }) => kind === "schedule",
    ).length;
  const changed = (
    change: (decision: { key: string; candidate: { assignment: object }; measured: object }) => object,
  ) => {
    const [header, line] = text.split("\n");
    return `${header}\n${JSON.stringify(change(JSON.parse(line!)))}\n`;
  };

  turn("a build of the other project measures nothing; known ones stay", () => {
    const root = projectWith(text);
    expect(importIn(root)).toMatchObject({ exitCode: 0, kernels: [{ kernel, state: "taken", why: null }], unused: 0 });
    const [tuned] = JSON.parse(runCli(root, "tune", "--json").output).kernels;
    expect(tuned).toMatchObject({ kernel, origin: "store", measured: 0 });
    const again = runCli(root, "cache", "import", "decisions.jsonl");
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.output).toContain("kept     src/gemm.op.ts?tune=wasm: it is what is here\n0 decisions taken, 1 kept");
    runCli(root, "cache", "export", "again.jsonl");
    const [header, line] = text.split("\n");
    const [headerAgain, lineAgain] = readFileSync(join(root, "again.jsonl"), "utf8").split("\n");
    expect(headerAgain).toBe(header);
    const { measured: claimed, ...decision } = JSON.parse(line!);
    const { measured, ...decisionAgain } = JSON.parse(lineAgain!);
    expect(decisionAgain).toEqual(decision);
    expect(measured).toMatchObject({ machine: claimed.machine, toolchain: claimed.toolchain, trials: 1 });
  });

  turn("a decision for other caches is taken, and is passed on with the sizes that it was tuned for", async () => {
    const elsewhere = writeProject(files);
    await compileIn(elsewhere, { machine: machineWith(24 * 1024) });
    const decisions = await storedDecisions(join(elsewhere, "store"));
    const root = projectWith(printExchange(decisions));
    expect(importIn(root)).toMatchObject({ exitCode: 0, kernels: [{ kernel, state: "taken" }], unused: 0 });
    const [tuned] = JSON.parse(runCli(root, "tune", "--json").output).kernels;
    expect(tuned).toMatchObject({ kernel, origin: "store", measured: 0 });
    expect(runCli(root, "verify").exitCode).toBe(0);
    runCli(root, "cache", "export", "again.jsonl");
    runCli(root, "pack", "packs/tuned", "--name", "tuned");
    for (const file of ["again.jsonl", "packs/tuned/decisions.jsonl"]) {
      const parsed = parseExchange(readFileSync(join(root, file), "utf8"));
      expect(parsed).toMatchObject({ decisions: [{ tunedFor: decisions[0]!.tunedFor, source: decisions[0]!.source }] });
    }
    // The one for the machine itself counts where a file has both.
    const [own] = (parseExchange(text) as { decisions: readonly SharedDecision[] }).decisions;
    const both = projectWith(printExchange([...decisions, own!]));
    expect(importIn(both)).toMatchObject({ kernels: [{ kernel, state: "taken" }], unused: 1 });
    expect(await storedDecisions(join(both, "node_modules/.cache/unplugin-kernel"))).toMatchObject([
      { key: own!.key, tunedFor: own!.tunedFor },
    ]);
  });

  turn("decisions of other kernels are left", () => {
    const another = { key: "0".repeat(64), tunedFor: undefined };
    const root = projectWith(changed((decision) => ({ ...decision, ...another })));
    expect(importIn(root)).toMatchObject({ exitCode: 0, kernels: [], unused: 1 });
    expect(storedIn(root)).toBe(0);
  });

  turn.each([
    ["decisions that the space does not have", { assignment: { "C.i.register": 7 } }],
    ["a template that is a path", { template: "../../../../tmp/x" }],
  ])("%s are refused", (_, part) => {
    const root = projectWith(changed((decision) => ({ ...decision, candidate: { ...decision.candidate, ...part } })));
    const { exitCode, kernels } = importIn(root);
    expect(kernels).toMatchObject([{ kernel, state: "refused", why: "its decisions do not lead to its source" }]);
    expect(exitCode).toBe(1);
    expect(storedIn(root)).toBe(0);
  });

  turn("a time that no machine reaches is refused", () => {
    const root = projectWith(
      changed((decision) => ({ ...decision, measured: { ...decision.measured, medianNs: 1, gflops: 2 * 16 ** 3 } })),
    );
    const { exitCode, kernels } = importIn(root);
    expect(kernels).toMatchObject([{ kernel, state: "refused", why: expect.stringMatching(/^no machine is so fast/) }]);
    expect(exitCode).toBe(1);
    expect(storedIn(root)).toBe(0);
  });

  turn("nothing of a file is taken that is wrong anywhere, and its lines are named", () => {
    const root = projectWith(`${text.replace('"decisions":1', '"decisions":2')}{"key":"x"}\n`);
    const { exitCode, errors } = runCli(root, "cache", "import", "decisions.jsonl");
    expect(errors).toBe("decisions.jsonl:3: key must be a sha256 of 64 hex digits\nnothing was taken\n");
    expect(exitCode).toBe(1);
    expect(storedIn(root)).toBe(0);
  });

  turn("files that cannot be read or written are errors", () => {
    const root = projectWith(text);
    const missing = runCli(root, "cache", "import", "nothing.jsonl");
    expect(missing).toMatchObject({ exitCode: 1 });
    expect(missing.errors).toMatch(/^exchange\.unreadable: .*nothing\.jsonl cannot be read: ENOENT/);
    expect(runCli(root, "cache", "import", "src").errors).toMatch(/^exchange\.unreadable: .* is no regular file/);
    const stuck = runCli(root, "cache", "import", "decisions.jsonl", "--cache-dir", "src/main.ts");
    expect(stuck).toMatchObject({ exitCode: 1 });
    expect(stuck.errors).toContain("exchange.unwritable: the store in ");
    const blocked = runCli(root, "cache", "export", "src/main.ts/decisions.jsonl");
    expect(blocked).toMatchObject({ exitCode: 1 });
    expect(blocked.errors).toContain("exchange.unwritable");
    mkdirSync(join(root, "folder"));
    expect(runCli(root, "cache", "export", "folder").errors).toContain("exchange.unwritable");
    expect(readdirSync(root).filter((file) => file.endsWith(".tmp"))).toEqual([]);
    writeFileSync(join(root, "decisions.jsonl"), "");
    expect(importIn(root)).toMatchObject({ exitCode: 1, problems: [{ line: 1, why: "it is no JSON" }] });
  });
});
