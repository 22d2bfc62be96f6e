// A folder with a starter's project in it: commands that are run there as its owner would, and servers that are asked and ended.

import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import type { Project } from "./row.ts";

/** Without the variables that npm gives its scripts: `npm create` takes them for its own settings. CI is not where one begins. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== "CI" && !name.startsWith("npm_")),
);

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Most that a server may take to answer its first request, a frozen dev server's compiling included. */
const answerMs = 60_000;

async function poll(url: string, isOver: () => boolean): Promise<string> {
  const end = performance.now() + answerMs;
  let last = "nothing";
  while (performance.now() < end && !isOver()) {
    try {
      const response = await fetch(url);
      const text = await response.text();
      if (response.ok) return text;
      last = `HTTP ${response.status} ${text.slice(0, 500)}`;
    } catch (error) {
      last = String((error as Error).cause ?? error);
    }
    await pause(300);
  }
  throw new Error(`${url}: ${last}`);
}

/** @param node folder of another version of Node, which comes first among the programs */
export function openProject(folder: string, node: string | null): Project {
  const env = node === null ? environment : { ...environment, PATH: [node, environment.PATH].join(delimiter) };
  const path = (file: string): string => join(folder, file);
  return {
    folder,
    run(command) {
      const { status, stdout, stderr } = spawnSync(command, {
        cwd: folder,
        encoding: "utf8",
        shell: true,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      if (status !== 0) throw new Error(`${command}: exit code ${status}\n${stdout}${stderr}`);
      return stdout + stderr;
    },
    async ask(command, at = "/") {
      const port = await freePort();
      const server = spawn(command, {
        cwd: folder,
        shell: true,
        detached: true,
        env: { ...env, PORT: String(port) },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let said = "";
      for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => (said += text));
      try {
        return await poll(`http://localhost:${port}${at}`, () => server.exitCode !== null);
      } catch (error) {
        throw new Error(`${command}: ${(error as Error).message}\n${said}`);
      } finally {
        // Its own group: what the shell has started ends with it.
        if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, "SIGTERM");
      }
    },
    read: (file) => readFileSync(path(file), "utf8"),
    write(file, text) {
      mkdirSync(dirname(path(file)), { recursive: true });
      writeFileSync(path(file), text);
    },
    append(file, text) {
      if (!existsSync(path(file))) throw new Error(`the starter has no ${file}`);
      appendFileSync(path(file), text);
    },
  };
}
