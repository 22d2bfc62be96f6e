// Processes that write one lock file at once lose nothing: of two versions of Node, in two network namespaces, in two PID
// namespaces, beside one that is killed, and where another user holds the name of the lock.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../../src/compiler/index.ts";
import { processSpace } from "../../../src/native/process/process-identity.ts";
import { readLockfile, updateLockfile } from "../../../src/tuner/lock/lockfile.ts";
import { inTurn } from "../../support/long.ts";
import { hasNamespaces, inNamespaces } from "../../support/namespaces.ts";
import { otherNode } from "../../support/other-node.js";

const turn = inTurn(5);

const writer = join(import.meta.dirname, "../../../dist/test/lock-writer.mjs");
const other = otherNode();
const node = process.execPath;

beforeAll(async () => {
  const entry = join(import.meta.dirname, "../../support/lock-writer.ts");
  const options = { bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "warning" } as const;
  await build({ entryPoints: [entry], outfile: writer, ...options });
});

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lock-processes-"));
  file = join(folder, "kernels.lock.json");
});
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const start = (tag: string, count: number, ...command: readonly string[]): ChildProcess => {
  const [name = "", ...args] = [...command, writer, tag, file, String(count)];
  const child = spawn(name, args, { stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  return child;
};

/** What a process says until its end. */
async function saidBy(child: ChildProcess): Promise<string> {
  let text = "";
  child.stdout!.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = await once(child, "close");
  return code === 0 ? text : `${text}exit code ${code}`;
}

async function entries(): Promise<number> {
  const content = await readLockfile(file);
  return content.kind === "ok" ? content.entries.size : -1;
}

/** Lets two kinds of processes write at once, and expects all that they wrote. */
async function expectNothingLost(...commands: readonly (readonly string[])[]): Promise<void> {
  const count = 30;
  const running = commands.map((command, at) => saidBy(start(`w${at}-`, count, ...command)));
  expect(await Promise.all(running)).toEqual(commands.map(() => ""));
  expect(await entries()).toBe(count * commands.length);
  expect(readdirSync(folder)).toEqual(["kernels.lock.json"]);
}

describe("a lock file that processes write at once", () => {
  turn.skipIf(other === null)("loses nothing between versions of Node", async () => {
    await expectNothingLost([node], [other!], [node], [other!]);
  });

  turn.skipIf(!hasNamespaces)("loses nothing between network namespaces", async () => {
    await expectNothingLost([node], [...inNamespaces("--net"), node], [...inNamespaces("--net"), node]);
  });

  turn.skipIf(!hasNamespaces)("loses nothing between containers, whose process numbers are their own", async () => {
    const container = [...inNamespaces("--net", "--pid"), node];
    await expectNothingLost(container, container, [node]);
  });

  turn("loses nothing to processes that are killed, whose locks the next one sweeps", async () => {
    for (let turn = 0; turn < 6; turn++) {
      const child = start(`killed${turn}-`, 1000, node);
      const closed = once(child, "close");
      while ((await entries()) <= turn) await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => setTimeout(resolve, 7 * turn));
      child.kill("SIGKILL");
      await closed;
      const before = await entries();
      expect(await saidBy(start(`after${turn}-`, 1, node))).toBe("");
      expect(await entries()).toBe(before + 1);
      expect(readdirSync(folder)).toEqual(["kernels.lock.json"]);
    }
  });
});

describe("the lock beside a lock file", () => {
  const entryOf = async () => {
    const content = await readLockfile("fixtures/apps/image-filter/kernels.lock.json");
    return content.kind === "ok" ? [...content.entries.values()][0]! : null;
  };
  const heldBy = (holder: object): void =>
    writeFileSync(`${file}.lock`, JSON.stringify({ token: "t", since: "2026-01-01", ...processSpace(), ...holder }));

  it("of a process that runs is waited for, said, and in the end left, with a message", async () => {
    heldBy({ pid: process.pid });
    const touching = setInterval(() => heldBy({ pid: process.pid, token: String(Math.random()) }), 20);
    const said: string[] = [];
    const changes = new Map([["src/a.op.ts?tune=wasm", await entryOf()]]);
    const options = { onWait: (holder: string) => said.push(holder), sayAfterMs: 50, giveUpAfterMs: 400 };
    const problem = await updateLockfile(file, changes, options);
    clearInterval(touching);
    expect(problem).toMatchObject({
      code: "lock.unwritable",
      message: expect.stringContaining(`process ${process.pid}, since 2026-01-01 has it`),
    });
    expect(said).toEqual([`process ${process.pid}, since 2026-01-01`]);
    expect(await entries()).toBe(0);
  });

  it("of a dead process is swept at once", async () => {
    const child = spawn(node, ["-e", "0"]);
    await once(child, "close");
    heldBy({ pid: child.pid });
    expect(await updateLockfile(file, new Map([["src/a.op.ts?tune=wasm", await entryOf()]]))).toBeNull();
    expect(readdirSync(folder)).toEqual(["kernels.lock.json"]);
  });

  turn.each([
    ["of another machine", { pid: 1, host: "elsewhere" }],
    ["of an earlier boot", { pid: 1, boot: "before" }],
    ["that is not written yet, or no lock of ours", null],
  ])("%s is left over when nobody touches it", async (_, holder) => {
    if (holder) heldBy(holder);
    else writeFileSync(`${file}.lock`, "");
    const start = performance.now();
    const changes = new Map([["src/a.op.ts?tune=wasm", await entryOf()]]);
    expect(await updateLockfile(file, changes, { staleAfterMs: 600 })).toBeNull();
    expect(performance.now() - start).toBeGreaterThan(600);
    expect(readdirSync(folder)).toEqual(["kernels.lock.json"]);
  });

  turn.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
    "holds where another user squats the name of the outer one",
    async () => {
      const name = `unplugin-kernel-merge-0-${sha256(file).slice(0, 32)}`;
      const script = `process.setgid(65534); process.setuid(65534);
        require("node:net").createServer(() => {}).listen({ path: ("\\0" + ${JSON.stringify(name)}).padEnd(108, "\\0") }, () => console.log("held"));`;
      const squatter = spawn(node, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
      started.push(squatter);
      await once(squatter.stdout!, "data");
      await expectNothingLost([node], [node]);
    },
  );
});
