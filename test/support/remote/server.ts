// Servers that tests share decisions by: programs that are started on a free port of the loopback, as nobody where the tests run as
// root, and stopped at the end.

import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RemoteOption } from "../../../src/plugin/options/types.ts";

type Environment = Readonly<Record<string, string>>;

export interface SharedServer {
  /** Option `remote` of those who read and write. */
  readonly remote: RemoteOption;
  /** Environment of those who may write. */
  readonly environment: Environment;
  close(): Promise<void>;
}

/** User and group "nobody". */
const nobody = 65534;
const isRoot = process.getuid?.() === 0;

/** Makes an empty folder that the server's user owns. */
export function folderOf(...folders: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), "shared-"));
  for (const folder of [root, ...folders.map((name) => join(root, name))]) {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    if (isRoot) chownSync(folder, nobody, nobody);
  }
  return root;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((closed) => server.close(() => closed()));
  return port;
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(!socket.destroy().connecting)).on("error", () => resolve(false));
  });

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly port: number;
  /** Folder that is deleted when the program has ended. */
  readonly folder: string;
  readonly env?: Environment;
}

/** Starts a program and waits until it listens. Returns what stops it. */
export async function startProgram({ command, args, port, folder, env = {} }: Program): Promise<() => Promise<void>> {
  const user = isRoot ? { uid: nobody, gid: nobody } : {};
  const { PATH = "" } = process.env;
  const child = spawn(command, args, {
    ...user,
    cwd: folder,
    env: { PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += part));
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const stop = (): Promise<void> => stopped(child, ended, folder);
  const giveUp = performance.now() + 20_000;
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || performance.now() > giveUp) {
      await stop();
      throw new Error(`${command} does not listen:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return stop;
}

async function stopped(child: ChildProcess, ended: Promise<void>, folder: string): Promise<void> {
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), 3000);
  await ended;
  clearTimeout(force);
  rmSync(folder, { recursive: true, force: true });
}

/** Writes the file of users of nginx and Apache. */
export const writeUsers = (file: string, users: Readonly<Record<string, string>>): void =>
  writeFileSync(
    file,
    Object.entries(users)
      .map(([user, password]) => `${user}:{SHA}${createHash("sha1").update(password).digest("base64")}\n`)
      .join(""),
  );

const page = fileURLToPath(new URL("../../../docs/remote.md", import.meta.url));

/** The configuration of a server as docs/remote.md has it, with other places. */
export function configurationOf(language: string, places: Readonly<Record<string, string>>): string {
  const [, block] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]+?)^\`\`\``, "m").exec(readFileSync(page, "utf8")) ?? [];
  if (block === undefined) throw new Error(`docs/remote.md has no configuration of ${language}`);
  let text = block;
  for (const [from, to] of Object.entries(places)) {
    if (!text.includes(from)) throw new Error(`the configuration of ${language} does not have ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** Folder of what test/tools installs. */
export const toolsFolder = fileURLToPath(new URL("../../tools/node_modules", import.meta.url));
export const missingTool = (name: string): string | null =>
  existsSync(join(toolsFolder, name)) ? null : "not here: npm ci --prefix test/tools";
