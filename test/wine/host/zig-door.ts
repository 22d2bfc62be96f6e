// The other side of zig-door.c: runs zig here for each program that asks under Wine, with the paths of Windows in the words of Linux.

import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { windowsFolder } from "../wine-node.ts";
import { zigHere } from "./windows-program.ts";

/** A path of Windows as Linux knows it: Wine's drive Z: is all of Linux. */
const pathHere = (path: string): string =>
  path
    .replace(/\b([A-Z]):[\\/]/gi, (_, drive: string) =>
      drive.toUpperCase() === "Z" ? "/" : `${windowsFolder}/drive_${drive.toLowerCase()}/`,
    )
    .replaceAll("\\", "/");

/** Words of a command line as Node writes it: those with a space are in quotes. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word.replaceAll('"', ""));

/** Runs zig as the file asks, and writes the answer, the exit code last. */
function answer(path: string): void {
  const [line = "", folder = "", ...variables] = readFileSync(path, "utf8").split("\0");
  rmSync(path);
  const caches = variables
    .filter((variable) => /^ZIG_\w+_CACHE_DIR=/.test(variable))
    .map((variable) => [variable.slice(0, variable.indexOf("=")), pathHere(variable.slice(variable.indexOf("=") + 1))]);
  const args = wordsOf(line)
    .slice(1)
    .map((word) => (/^[A-Z]:\\/i.test(word) ? pathHere(word) : word));
  const env = { PATH: process.env.PATH, ...zigHere!.environment, ...Object.fromEntries(caches) };
  const child = spawn(zigHere!.path, args, { cwd: pathHere(folder), env, stdio: ["ignore", "pipe", "pipe"] });
  const texts = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    texts.out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    texts.err += chunk;
  });
  const end = (code: number | null): void => {
    const base = path.slice(0, -".asked".length);
    for (const [kind, text] of Object.entries(texts)) writeFileSync(`${base}.${kind}`, text);
    writeFileSync(`${base}.done`, String(code ?? 1));
    renameSync(`${base}.done`, `${base}.code`);
  };
  child.on("close", end);
  // The folder may be gone with the process that asked.
  child.on("error", () => end(1));
}

/** Answers programs that ask in this folder. Returns what ends that. */
export function openZigDoor(door: string): () => void {
  mkdirSync(door, { recursive: true });
  const timer = setInterval(() => {
    for (const name of readdirSync(door)) if (name.endsWith(".asked")) answer(join(door, name));
  }, 5);
  return () => clearInterval(timer);
}
