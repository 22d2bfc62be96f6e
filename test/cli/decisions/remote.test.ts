// `cache push` and `cache pull` between projects that share a server.

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { printExchange } from "../../../src/tuner/store/exchange.ts";
import { storedDecisions } from "../../../src/tuner/store/store-contents.ts";
import { compileIn, machineWith } from "../../support/compile-app.ts";
import { inTurn } from "../../support/long.ts";
import { type Double, startDouble } from "../../support/remote/double.ts";
import { offerAt } from "../../support/remote/share.ts";
import { gemm, writeProject } from "../project.ts";

const turn = inTurn(7);

const cli = fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));
const kernel = "src/gemm.op.ts?tune=wasm";
const project = (): string =>
  writeProject({
    "src/gemm.op.ts": gemm,
    "src/main.ts": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n',
  });

/** Beside this process, which is the server's. */
const run = (root: string, ...args: readonly string[]) => runWith({}, root, ...args);

interface Run {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

function runWith(
  environment: Readonly<Record<string, string>>,
  root: string,
  ...args: readonly string[]
): Promise<Run> {
  const env = { ...process.env, CI: "1", UNPLUGIN_KERNEL_REMOTE_TOKEN: "secret", ...environment };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, ...args], { cwd: root, env }, (_, output, errors) =>
      resolve({ exitCode: child.exitCode ?? -1, output, errors }),
    );
  });
}

let server: Double;
let origin: string;
beforeAll(async () => {
  server = await startDouble();
  origin = project();
  await run(origin, "tune", "--seconds", "600", "--trials", "4");
});
afterAll(() => server.close());

test("what one project pushes another pulls, or finds when it tunes", async () => {
  const remote = ["--remote", `${server.url}/store`];
  expect(await run(origin, "cache", "push", ...remote)).toEqual({
    exitCode: 0,
    output: "1 sent, 0 kept, 0 failed\n",
    errors: "",
  });
  expect((await run(origin, "cache", "push", ...remote)).output).toBe("0 sent, 1 kept, 0 failed\n");
  expect([...server.files.keys()]).toEqual([
    expect.stringMatching(/^\/store\/cas\/[0-9a-f]{64}$/),
    // Its machine's, and that of all machines that differ in their caches alone.
    expect.stringMatching(/^\/store\/ac\/[0-9a-f]{64}$/),
    expect.stringMatching(/^\/store\/ac\/[0-9a-f]{64}$/),
  ]);
  expect(server.asked[0]).toMatch(/ Bearer secret$/);

  const puller = project();
  const pulled = await run(puller, "cache", "pull", "--json", ...remote);
  expect(JSON.parse(pulled.output)).toMatchObject({ kernels: [{ kernel, state: "taken" }], missing: 0 });
  expect(JSON.parse((await run(puller, "tune", "--json")).output).kernels).toMatchObject([
    { origin: "store", measured: 0 },
  ]);

  const tuned = await run(project(), "tune", "--json", ...remote);
  expect(JSON.parse(tuned.output).kernels).toMatchObject([{ kernel, origin: "remote", measured: 0 }]);
});

turn("what a machine with other caches has pushed is pulled, and found when it is tuned", async () => {
  server.files.clear();
  const elsewhere = project();
  await compileIn(elsewhere, { machine: machineWith(24 * 1024) });
  const remote = ["--remote", `${server.url}/store`];
  const pushed = await run(elsewhere, "cache", "push", "--cache-dir", "store", ...remote);
  expect(pushed.output).toBe("1 sent, 0 kept, 0 failed\n");
  const pulled = await run(project(), "cache", "pull", "--json", ...remote);
  expect(JSON.parse(pulled.output)).toMatchObject({ kernels: [{ kernel, state: "taken" }], missing: 0 });
  const tuned = await run(project(), "tune", "--json", ...remote);
  expect(JSON.parse(tuned.output).kernels).toMatchObject([{ kernel, origin: "remote", measured: 0 }]);
});

turn("a pull does not take a claim that no machine can keep", async () => {
  const puller = project();
  const [decision] = await storedDecisions(join(origin, "node_modules/.cache/unplugin-kernel"));
  const { key, measured } = decision!;
  server.files.clear();
  offerAt(server, "", key, { ...decision!, measured: { ...measured, medianNs: 1e-9, gflops: 1e9 } });
  const pulled = await run(puller, "cache", "pull", "--json", "--remote", server.url);
  expect(JSON.parse(pulled.output)).toMatchObject({ kernels: [{ kernel, state: "refused" }] });
});

turn("a pull and an import take the decision of the class where that of the key is refused", async () => {
  const elsewhere = project();
  await compileIn(elsewhere, { machine: machineWith(24 * 1024) });
  const [ofClass] = await storedDecisions(join(elsewhere, "store"));
  const [exact] = await storedDecisions(join(origin, "node_modules/.cache/unplugin-kernel"));
  const wrong = { ...exact!, source: "0".repeat(64) };
  server.files.clear();
  offerAt(server, "", wrong.key, wrong);
  offerAt(server, "", ofClass!.tunedFor!.class, ofClass!);
  const puller = project();
  const taken = {
    exitCode: 0,
    output: expect.stringContaining(
      `taken    ${kernel}: the decision of its key is refused: its decisions do not lead to its source\n1 decision taken`,
    ),
  };
  expect(await run(puller, "cache", "pull", "--remote", server.url)).toMatchObject(taken);
  const importer = project();
  // The first of a class in a file, by key, stands for it.
  const { tunedFor: _, ...shown } = wrong;
  writeFileSync(join(importer, "decisions.jsonl"), printExchange([shown, ofClass!]));
  expect(await run(importer, "cache", "import", "decisions.jsonl")).toMatchObject(taken);
});

turn("a pull says what is not there, and fails where the server does", async () => {
  server.files.clear();
  const root = project();
  const remote = ["--remote", `${server.url}/store`];
  expect((await run(root, "cache", "pull", ...remote)).output).toBe(
    "0 decisions taken, 0 kept, 0 refused, 1 not there\n",
  );
  server.behave((_, response) => void response.writeHead(502).end());
  const failed = await run(root, "cache", "pull", ...remote);
  expect(failed.exitCode).toBe(1);
  expect(failed.errors).toMatch(/^exchange\.remote: the remote store gives no decision [0-9a-f]{64}: it answers 502\n/);
  const pushed = await run(origin, "cache", "push", ...remote);
  expect(pushed.exitCode).toBe(1);
  expect(pushed.errors).toMatch(/^failed {3}[0-9a-f]{64}: it answers 502\n0 sent, 0 kept, 1 failed\n$/);
});

turn("a push that is refused accounts for each decision, and says why once", async () => {
  const root = writeProject({
    "src/gemm.op.ts": gemm,
    "src/main.ts": [8, 16, 24]
      .map((M) => `import k${M} from "./gemm.op.ts?tune=wasm&M=${M}";\nconsole.log(k${M});\n`)
      .join(""),
  });
  await run(root, "tune", "--seconds", "600", "--trials", "2");
  const remote = ["--remote", `${server.url}/store`];
  server.behave(({ method }, response) => method === "PUT" && response.writeHead(403).end());
  const { exitCode, errors } = await run(root, "cache", "push", ...remote);
  expect(exitCode).toBe(1);
  expect(errors).toMatch(
    /^failed {3}[0-9a-f]{64}: .*403.*\nfailed {3}2 more: not sent, as the store is not asked any more\n0 sent, 0 kept, 3 failed\n$/,
  );
  const { decisions } = JSON.parse((await run(root, "cache", "push", "--json", ...remote)).output);
  expect(decisions.map(({ state }: { state: string }) => state)).toEqual(["failed", "failed", "failed"]);
  server.behave(null);
});

turn("a store has to be named, by an http URL", async () => {
  const root = project();
  expect(await run(root, "cache", "push")).toMatchObject({ exitCode: 2 });
  const bad = await run(root, "cache", "pull", "--remote", "ftp://files");
  expect(bad).toMatchObject({ exitCode: 2, errors: expect.stringContaining("options.bad-value: option remote") });
});

/** What an app imports is in a store by each protocol, in a namespace. */
turn.each([
  ["http", "", {}],
  ["s3", "/bucket", { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "hush" }],
  ["turborepo", "", { TURBO_TOKEN: "hush", TURBO_TEAM: "t" }],
])("push and pull, %s", async (protocol, path, environment) => {
  server.behave(null);
  server.files.clear();
  const flags = ["--remote", server.url + path, "--protocol", protocol, "--namespace", "main"];
  expect((await runWith(environment, origin, "cache", "push", ...flags)).output).toBe("1 sent, 0 kept, 0 failed\n");
  const pulled = await runWith(environment, project(), "cache", "pull", ...flags);
  expect(pulled).toMatchObject({ exitCode: 0, output: expect.stringContaining("1 decision taken") });
  const other = await runWith(environment, project(), "cache", "pull", ...flags.slice(0, -1), "other");
  expect(other.output).toContain("0 decisions taken");
});

turn("the CI of a pull request pushes nothing", async () => {
  server.files.clear();
  const environment = { GITHUB_EVENT_NAME: "pull_request" };
  const pushed = await runWith(environment, origin, "cache", "push", "--remote", server.url);
  expect(pushed).toMatchObject({ exitCode: 1, errors: expect.stringContaining("exchange.remote: the CI of a pull") });
  expect(server.files.size).toBe(0);
});

turn("a password in the URL is sent, and printed nowhere", async () => {
  const url = new URL(server.url);
  url.username = "me";
  url.password = "hunter2";
  server.asked.length = 0;
  server.behave((_, response) => void response.writeHead(403).end());
  const flags = ["--remote", url.href];
  const runs = [
    await run(origin, "cache", "push", ...flags),
    await run(origin, "cache", "pull", "--json", ...flags),
    await run(project(), "tune", "--trials", "1", ...flags),
    await run(origin, "cache", "pull", "--remote", "ftp://me:hunter2@files"),
    await run(origin, "cache", "pull", "--protocol", "s3", "--json", ...flags),
  ];
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([1, 1, 0, 2, 2]);
  const basic = `Basic ${Buffer.from("me:hunter2").toString("base64")}`;
  expect(server.asked.every((line) => line.endsWith(basic))).toBe(true);
  expect(server.asked).toHaveLength(3);
  const printed = JSON.stringify(runs);
  for (const secret of ["hunter2", basic.slice(6)]) expect(printed).not.toContain(secret);
  expect(runs[2]!.output + runs[2]!.errors).toContain("the user in its URL has no right to it");
});
