// `cache push` and `cache pull` between projects that share a server.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DecisionServer, startDecisionServer } from "../support/decision-server.ts";
import { gemm, writeProject } from "./project.ts";

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const kernel = "src/gemm.op.ts?tune=wasm";
const project = (): string =>
  writeProject({
    "src/gemm.op.ts": gemm,
    "src/main.ts": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n',
  });

/** Beside this process, which is the server's. */
function run(root: string, ...args: readonly string[]): Promise<{ exitCode: number; output: string; errors: string }> {
  const env = { ...process.env, CI: "1", UNPLUGIN_KERNEL_REMOTE_TOKEN: "secret" };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, ...args], { cwd: root, env }, (_, output, errors) =>
      resolve({ exitCode: child.exitCode ?? -1, output, errors }),
    );
  });
}

let server: DecisionServer;
let origin: string;
beforeAll(async () => {
  server = await startDecisionServer();
  origin = project();
  await run(origin, "tune", "--seconds", "30", "--trials", "4");
});
afterAll(() => server.close());

test("what one project pushes another pulls, or finds when it tunes", async () => {
  const remote = ["--remote", server.url];
  expect(await run(origin, "cache", "push", ...remote)).toEqual({
    exitCode: 0,
    output: "1 sent, 0 kept, 0 failed\n",
    errors: "",
  });
  expect((await run(origin, "cache", "push", ...remote)).output).toBe("0 sent, 1 kept, 0 failed\n");
  expect([...server.files.keys()]).toEqual([expect.stringMatching(/^\/store\/ac\/[0-9a-f]{64}$/)]);
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

test("a push takes the place of a claim that no machine can keep, and a pull does not take it", async () => {
  const remote = ["--remote", server.url];
  await run(origin, "cache", "push", ...remote);
  const [[path, honest] = ["", ""]] = [...server.files];
  const [header, line] = honest.split("\n");
  const decision = JSON.parse(line!);
  const lie = { ...decision, measured: { ...decision.measured, medianNs: 1e-9, gflops: 1e9 } };
  server.files.set(path, `${header}\n${JSON.stringify(lie)}\n`);
  const pulled = await run(project(), "cache", "pull", "--json", ...remote);
  expect(JSON.parse(pulled.output)).toMatchObject({ kernels: [{ kernel, state: "refused" }] });
  expect((await run(origin, "cache", "push", ...remote)).output).toBe("1 sent, 0 kept, 0 failed\n");
  expect(server.files.get(path)).toBe(honest);
});

test("a pull says what is not there, and fails where the server does", async () => {
  server.files.clear();
  const root = project();
  const remote = ["--remote", server.url];
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

test("a store has to be named, by an http URL", async () => {
  const root = project();
  expect(await run(root, "cache", "push")).toMatchObject({ exitCode: 2 });
  const bad = await run(root, "cache", "pull", "--remote", "ftp://files");
  expect(bad).toMatchObject({ exitCode: 2, errors: expect.stringContaining("options.bad-value: option remote") });
});
