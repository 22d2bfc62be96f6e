// `tune` and `worker` as users run them: on a Redis with real workers, under a Slurm that is a script, and in shards.

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { tune } from "../../src/api/index.ts";
import { gemm as gemmOp } from "../../src/compiler/ops/index.ts";
import { readLockfile, updateLockfile } from "../../src/tuner/lock/lockfile.ts";
import { gemm, runCli, writeProject } from "../cli/project.ts";
import { eventually } from "../support/eventually.ts";
import { type RedisServer, startRedis } from "../support/fleet/redis-server.ts";
import { inTurn, longTest } from "../support/long.ts";

const turn = inTurn(7);

const hasRedis = existsSync("/usr/bin/redis-server");
const cli = resolve(import.meta.dirname, "../../dist/cli.js");
const files = {
  "package.json": '{ "name": "app", "type": "module" }\n',
  "src/gemm.op.ts": gemm,
  "src/main.ts": 'import a from "./gemm.op.ts?tune=wasm";\nconsole.log(a);\n',
};
const quickly = ["--seconds", "600", "--trials", "6"];
/** A port on which nothing listens. */
const nowhere = "redis://127.0.0.1:1";

const locked = async (root: string): Promise<readonly string[]> => {
  const content = await readLockfile(join(root, "kernels.lock.json"));
  return content.kind === "ok" ? [...content.entries.keys()].sort() : [];
};

interface Worker {
  readonly lines: () => string;
  stop(): Promise<number | null>;
  kill(): void;
}

/** Starts a worker and waits until it has registered. */
async function startWorker(root: string, url: string, ...args: readonly string[]): Promise<Worker> {
  const child: ChildProcess = spawn(process.execPath, [cli, "worker", "--redis", url, ...args], { cwd: root });
  let lines = "";
  child.stderr!.on("data", (text: Buffer) => {
    lines += text.toString();
  });
  await eventually(() => expect(lines).toContain(" as class "));
  return {
    lines: () => lines,
    kill: () => void child.kill("SIGKILL"),
    stop: () =>
      new Promise((done, fail) => {
        if (child.exitCode !== null || child.signalCode !== null) fail(new Error(`it had ended before:\n${lines}`));
        const late = setTimeout(() => {
          child.kill("SIGKILL");
          fail(new Error(`it did not end within a minute:\n${lines}`));
        }, 60_000);
        child.once("exit", (code) => {
          clearTimeout(late);
          done(code);
        });
        child.kill("SIGTERM");
      }),
  };
}

describe.skipIf(!hasRedis)("on Redis", () => {
  let redis: RedisServer;
  let root: string;
  let workers: readonly Worker[];
  beforeAll(async () => {
    redis = await startRedis(false);
    root = writeProject(files);
    const checkout = writeProject(files);
    workers = await Promise.all([
      startWorker(checkout, redis.url),
      startWorker(checkout, redis.url, "--targets", "wasm", "--label", "page"),
    ]);
  });
  afterAll(async () => {
    // Whether a signal ends a worker is what a test of its own asks.
    for (const worker of workers) worker.kill();
    await redis.stop();
  });

  test("workers measure the candidates; the lock and the records are those of who tunes", async () => {
    const { exitCode, output } = runCli(root, "tune", "--redis", redis.url, "--json", ...quickly);
    expect([exitCode, JSON.parse(output).kernels]).toEqual([
      0,
      [expect.objectContaining({ origin: "tuned", measured: 6 })],
    ]);
    await eventually(() => expect(workers.map((worker) => worker.lines()).join("")).toMatch(/job [0-9a-f]{12}: /));
    expect(await locked(root)).toEqual(["src/gemm.op.ts?tune=wasm"]);
    const records = readFileSync(join(root, "node_modules/.cache/unplugin-kernel/records.jsonl"), "utf8");
    expect(records.trim().split("\n")).toHaveLength(6);
  });

  longTest(
    "--all-targets fills a table of kernels and kinds of workers, with a line for each that is done",
    async () => {
      const all = writeProject({
        ...files,
        "src/main.ts": 'import a from "./gemm.op.ts?tune=native";\nconsole.log(a);\n',
      });
      const { exitCode, output, errors } = runCli(all, "tune", "--redis", redis.url, "--all-targets", ...quickly);
      expect([exitCode, output]).toEqual([0, expect.stringContaining("src/gemm.op.ts?tune=wasm")]);
      const names = await locked(all);
      expect(names).toContain("src/gemm.op.ts?tune=wasm");
      expect(errors).toContain(`${names.length} of ${names.length}: src/gemm.op.ts?tune=`);
    },
  );

  turn(
    "--all-targets with --engines has a row and an entry for the class of engines that a worker measures",
    async () => {
      const app = writeProject(files);
      const command = ["tune", "--redis", redis.url, "--all-targets", "--engines", "x86,arm", "--json", ...quickly];
      const { exitCode, output } = runCli(app, ...command);
      const names = ["wasm", process.arch === "arm64" ? "wasm-arm" : "wasm-x86"].map(
        (it) => `src/gemm.op.ts?tune=${it}`,
      );
      expect([exitCode, JSON.parse(output).kernels]).toEqual([
        0,
        names.map((kernel) => expect.objectContaining({ kernel, origin: "tuned", error: null })),
      ]);
      expect(await locked(app)).toEqual(names);
    },
  );

  turn("a worker whose operator is another refuses, and this machine measures, with one line", () => {
    const changed = writeProject({ ...files, "src/gemm.op.ts": gemm.replace("M: 16", "M: 8") });
    const { exitCode, errors } = runCli(changed, "tune", "--redis", redis.url, ...quickly);
    expect(exitCode).toBe(0);
    expect(errors.match(/this machine measures itself/g)).toHaveLength(1);
    expect(errors).toContain("src/gemm.op.ts of this checkout is another operator");
  });

  turn("the program interface has a fleet measure, and goes on alone when Redis is killed in the middle", async () => {
    const warnings: string[] = [];
    const runner = { kind: "queue", redis: redis.url, file: "src/gemm.op.ts", patienceMs: 300 } as const;
    const op = gemmOp({ M: 16, N: 16, K: 16 });
    const options = { target: "wasm", runner, onWarning: (line: string) => void warnings.push(line) } as const;
    const budget = { seconds: 600, trials: 60 };
    let killed: Promise<void> | null = null;
    const tuned = await tune(op, {
      ...options,
      budget,
      onProgress({ measured }) {
        if (measured > 0) killed ??= redis.kill();
      },
    });
    await killed;
    expect(tuned.measured).toBeGreaterThan(24);
    expect(warnings).toEqual([expect.stringMatching(/^the fleet is lost: .*; this machine measures itself$/)]);
    await redis.start();
  });

  turn("SIGTERM ends a worker, which says how many jobs it took", async () => {
    const worker = await startWorker(root, redis.url, "--targets", "wasm", "--label", "short");
    expect(await worker.stop()).toBe(0);
  });
});

turn.skipIf(!hasRedis)("SIGTERM ends a worker whose Redis is gone", async () => {
  const redis = await startRedis(false);
  const worker = await startWorker(writeProject(files), redis.url, "--targets", "wasm", "--label", "left");
  await redis.kill();
  expect(await worker.stop()).toBe(0);
  expect(worker.lines()).toContain("the queue was not closed within 10 s");
  await redis.stop();
});

describe("without a Redis", () => {
  turn("tune says so in one line and measures here", () => {
    const { exitCode, errors } = runCli(writeProject(files), "tune", "--redis", nowhere, ...quickly);
    expect([exitCode, errors.match(/the fleet cannot be reached: .*; this machine measures itself/g)]).toEqual([
      0,
      [expect.stringContaining("ECONNREFUSED")],
    ]);
  });

  test("the program interface refuses an empty secret, which anybody has", async () => {
    const runner = { kind: "queue", redis: nowhere, file: "src/gemm.op.ts", key: "" } as const;
    const tuned = tune(gemmOp({ M: 16, N: 16, K: 16 }), { target: "wasm", runner, budget: { seconds: 1, trials: 1 } });
    await expect(tuned).rejects.toMatchObject({
      diagnostic: { code: "options.bad-value", message: "runner.key is empty" },
    });
  });

  turn.each([
    ["fleet.no-workers", ["tune", "--redis", nowhere, "--all-targets"], 1],
    ["fleet.unreachable", ["worker", "--redis", nowhere], 1],
    ["command.bad-argument", ["worker"], 2],
    ["command.bad-argument", ["worker", "--redis", "http://a"], 2],
    ["command.bad-argument", ["worker", "--redis", nowhere, "--targets", "avx9"], 2],
    ["command.bad-argument", ["worker", "--redis", nowhere, "--label", "a b"], 2],
    ["command.bad-argument", ["tune", "--all-targets"], 2],
    ["command.bad-argument", ["tune", "--redis", nowhere, "--total", "5"], 2],
    ["command.bad-argument", ["tune", "--shard", "3/2"], 2],
    ["command.bad-argument", ["tune", "--trials", "1.5"], 2],
  ])("%s: %j", (code, args, wanted) => {
    const { exitCode, output } = runCli(writeProject(files), ...args, "--json");
    expect([exitCode, JSON.parse(output).error.code]).toEqual([wanted, code]);
  });
});

turn(
  "--shard: every kernel is in one shard, and the locks of all shards are together that of a run without",
  async () => {
    const sizes = [8, 16, 24, 32];
    const imports = sizes.map((size) => `import a${size} from "./gemm.op.ts?tune=wasm&M=${size}";`).join("\n");
    const project = {
      ...files,
      "src/main.ts": `${imports}\nconsole.log(${sizes.map((size) => `a${size}`).join(", ")});\n`,
    };
    const together = join(writeProject({}), "kernels.lock.json");
    const shards: (readonly string[])[] = [];
    for (const shard of ["1/3", "2/3", "3/3"]) {
      const root = writeProject(project);
      expect(runCli(root, "tune", "--shard", shard, "--seconds", "600", "--trials", "2").exitCode).toBe(0);
      shards.push(await locked(root));
      const content = await readLockfile(join(root, "kernels.lock.json"));
      expect(content.kind === "ok" && (await updateLockfile(together, content.entries))).toBeNull();
    }
    const all = sizes.map((size) => `src/gemm.op.ts?M=${size}&tune=wasm`).sort();
    expect(shards.map(({ length }) => length).sort()).toEqual([1, 1, 2]);
    expect(shards.flat().sort()).toEqual(all);
    const root = writeProject(project);
    cpSync(together, join(root, "kernels.lock.json"));
    expect(runCli(root, "verify").exitCode).toBe(0);
  },
);

turn("--shard: a shard may have no kernel, and says so", () => {
  const { exitCode, output } = runCli(writeProject(files), "tune", "--shard", "2/2");
  expect([exitCode, output]).toEqual([0, "shard 2/2 has no kernel: there are fewer kernels than shards\n"]);
});

/** Takes what sbatch takes of us, and runs the command here. */
const sbatch = `#!/bin/sh
echo "$@" >> "$SBATCH_LOG"
for argument; do
  case "$argument" in --wrap=*) exec sh -c "\${argument#--wrap=}" ;; esac
done
`;

turn.skipIf(process.platform === "win32")("--slurm measures by sbatch --wait --exclusive --constraint", async () => {
  const root = writeProject({ ...files, "bin/sbatch": sbatch });
  chmodSync(join(root, "bin/sbatch"), 0o755);
  const log = join(root, "sbatch.log");
  mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
  writeFileSync(log, "");
  vi.stubEnv("PATH", `${join(root, "bin")}${delimiter}${process.env.PATH}`);
  vi.stubEnv("SBATCH_LOG", log);
  const { exitCode, output } = runCli(root, "tune", "--slurm", "zen4&avx512", "--json", ...quickly);
  vi.unstubAllEnvs();
  expect([exitCode, JSON.parse(output).kernels]).toEqual([
    0,
    [expect.objectContaining({ origin: "tuned", measured: 6 })],
  ]);
  const calls = readFileSync(log, "utf8").trim().split("\n");
  expect(calls[0]).toMatch(/^--wait --exclusive --constraint=zen4&avx512 .*'--describe'/);
  expect(calls.length).toBeGreaterThanOrEqual(3);
  expect(calls.slice(1).every((call) => call.includes("'--job'"))).toBe(true);
  expect(await locked(root)).toEqual(["src/gemm.op.ts?tune=wasm"]);
});

turn("--slurm says where there is no sbatch, and this machine measures", () => {
  const root = writeProject(files);
  vi.stubEnv("PATH", join(root, "src"));
  const { exitCode, errors } = runCli(root, "tune", "--slurm", "zen4", ...quickly);
  vi.unstubAllEnvs();
  expect([exitCode, errors]).toEqual([0, expect.stringContaining("there is no sbatch on the PATH")]);
});
