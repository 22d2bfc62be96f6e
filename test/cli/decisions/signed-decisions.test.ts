// `cache import` and `cache pull` under option trust: signed decisions are noted so, and where signatures are required others are refused.

import { execFile } from "node:child_process";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateSigningKey, privateLine, publicLine } from "../../../src/tuner/trust/keys.ts";
import { inTurn } from "../../support/long.ts";
import { type Double, startDouble } from "../../support/remote/double.ts";
import { gemm, writeProject } from "../project.ts";

const turn = inTurn(4);

const cli = fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));
const key = generateSigningKey("ci-1");
const kernel = "src/gemm.op.ts?tune=wasm";
const trust = "--trust=kernels.trust.json";

const project = (): string =>
  writeProject({
    "src/gemm.op.ts": gemm,
    "src/main.ts": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n',
    "kernels.trust.json": JSON.stringify({ keys: [publicLine(key)], require: ["decision"] }),
    "mild.trust.json": JSON.stringify([publicLine(key)]),
  });

/** Runs the command line beside this process, which is the server's. */
function run(root: string, ...args: readonly string[]) {
  const env = { ...process.env, CI: "1", XDG_CONFIG_HOME: root, UNPLUGIN_KERNEL_SIGNING_KEY: privateLine(key) };
  return new Promise<{ readonly exitCode: number; readonly output: string }>((resolve) => {
    const child = execFile(process.execPath, [cli, ...args], { cwd: root, env }, (_, output, errors) =>
      resolve({ exitCode: child.exitCode ?? -1, output: output + errors }),
    );
  });
}

const unsigned = "option trust wants it signed, and it is not signed";
let origin: string;
beforeAll(async () => {
  origin = project();
  await run(origin, "tune", "--trials", "4");
  await run(origin, "cache", "export", "decisions.jsonl");
  expect((await run(origin, "cache", "sign", "decisions.jsonl")).exitCode).toBe(0);
});

describe("cache import", () => {
  /** Another project that has the file, and what lies beside it. */
  const importer = (...names: readonly string[]): string => {
    const root = project();
    for (const name of names) copyFileSync(join(origin, name), join(root, name));
    return root;
  };
  const signature = "decisions.jsonl.sigstore.json";

  it("takes what a listed key has signed, and says so", async () => {
    const root = importer("decisions.jsonl", signature);
    expect(await run(root, "cache", "import", "decisions.jsonl", trust)).toEqual({
      exitCode: 0,
      output: expect.stringContaining(`taken    ${kernel}: signed by key ci-1\n1 decision taken`),
    });
    const { kernels } = JSON.parse((await run(root, "cache", "import", "decisions.jsonl", trust, "--json")).output);
    expect(kernels).toMatchObject([{ state: "kept", signer: "key ci-1" }]);
  });

  turn("refuses what is not signed where that is required, and takes it where not", async () => {
    const root = importer("decisions.jsonl");
    expect(await run(root, "cache", "import", "decisions.jsonl", trust)).toEqual({
      exitCode: 1,
      output: expect.stringContaining(`refused  ${kernel}: ${unsigned}\n0 decisions taken, 0 kept, 1 refused`),
    });
    expect((await run(root, "cache", "ls")).output).toMatch(/ decisions +\| +0 /);
    const mild = await run(root, "cache", "import", "decisions.jsonl", "--trust=mild.trust.json", "--json");
    expect(JSON.parse(mild.output).kernels).toMatchObject([{ state: "taken", signer: null, note: null }]);
  });

  turn("says of a file that was changed that its signature counts for nothing", async () => {
    const root = importer("decisions.jsonl", signature);
    writeFileSync(join(root, signature), '{"mediaType":1}');
    const { exitCode, output } = await run(root, "cache", "import", "decisions.jsonl", "--trust=mild.trust.json");
    expect({ exitCode, output }).toEqual({
      exitCode: 0,
      output: expect.stringContaining(`taken    ${kernel}: not taken as signed: its signature has another form`),
    });
  });
});

describe("cache pull", () => {
  let server: Double;
  beforeAll(async () => {
    server = await startDouble();
  });
  afterAll(() => server.close());
  const push = (...flags: readonly string[]) => run(origin, "cache", "push", "--remote", server.url, ...flags);

  turn("takes what push --sign sent, also of a kernel that has no addon", async () => {
    expect((await push("--sign")).output).toBe("1 sent, 0 kept, 0 failed\n");
    // The decision and its signature, each once, and the two keys that find them: of this very machine, and of its class.
    const folders = [...server.files.keys()].map((path) => path.split("/")[1]);
    expect(folders.sort()).toEqual(["ac", "ac", "cas", "cas"]);
    const root = project();
    expect((await run(root, "cache", "pull", "--remote", server.url, trust)).output).toContain(
      `taken    ${kernel}: signed by key ci-1\n1 decision taken`,
    );
    // Who signed it is known from then on.
    expect((await run(root, "cache", "ls")).output).toMatch(/ from a remote store, signed +\| +1 /);
    await run(root, "tune");
    expect(await run(root, "verify", "--trust=mild.trust.json")).toEqual({
      exitCode: 0,
      output: expect.stringContaining(`right    ${kernel}: from a remote store, signed by key ci-1\n`),
    });
    expect((await run(root, "verify")).output).toContain(`${kernel}: from a remote store, without a signature`);
    const tuned = await run(project(), "tune", "--remote", server.url, trust, "--json");
    expect(JSON.parse(tuned.output).kernels).toMatchObject([{ kernel, origin: "remote" }]);
  });

  turn("refuses what was pushed without, as tune does", async () => {
    server.files.clear();
    await push();
    const root = project();
    expect(await run(root, "cache", "pull", "--remote", server.url, trust)).toEqual({
      exitCode: 1,
      output: expect.stringContaining(`refused  ${kernel}: ${unsigned}`),
    });
    rmSync(join(root, "kernels.lock.json"), { force: true });
    // Taken without a signature, it is no rival of the same decision with one, and of no use where one is required.
    await run(root, "cache", "pull", "--remote", server.url, "--trust=mild.trust.json");
    expect((await run(root, "cache", "ls")).output).toMatch(/ from a remote store, not signed +\| +1 /);
    const tuned = await run(root, "tune", "--remote", server.url, trust, "--trials", "2");
    expect(tuned.output).toContain(`the store's decision is from a remote store, and not taken: ${unsigned}`);
    expect(tuned.output).toContain(`nothing is taken from the remote store: ${unsigned}`);
    expect(tuned.output).toMatch(/ tuned /);
  });
});
