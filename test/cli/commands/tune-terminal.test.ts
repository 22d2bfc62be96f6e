// `tune` on a terminal: a line for each kernel while it is tuned, then the table; nothing but JSON with --json; Ctrl-C keeps what was
// measured and gives the cursor back. The terminal is that of `script`, which Linux has.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { expect } from "vitest";
import { inTurn } from "../../support/long.ts";
import { gemm, writeProject } from "../project.ts";

const turn = inTurn(3);

const cli = fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));
const hasTerminal = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
const missing = hasTerminal ? "" : " (no terminal: script of util-linux is not here)";
const kernels = ["src/gemm.op.ts?M=8&tune=wasm", "src/gemm.op.ts?tune=wasm"];

const project = (): string =>
  writeProject({
    "src/gemm.op.ts": gemm,
    "src/main.ts":
      'import a from "./gemm.op.ts?tune=wasm";\nimport b from "./gemm.op.ts?M=8&tune=wasm";\nconsole.log(a, b);\n',
  });

interface OnTerminal {
  /** All that was written. */
  readonly text: string;
  readonly exitCode: number | null;
}

/** @param until what is on the screen when Ctrl-C is pressed; null: it is not */
function onTerminal(root: string, args: readonly string[], until: RegExp | null = null): Promise<OnTerminal> {
  const { CI: _, ...env } = process.env;
  const command = `stty cols 120 rows 40; '${process.execPath}' '${cli}' ${args.join(" ")}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], { cwd: root, env });
  let text = "";
  let isPressed = until === null;
  child.stdout.on("data", (data) => {
    text += data;
    if (isPressed || !until?.test(text)) return;
    isPressed = true;
    child.stdin.write("\x03");
  });
  return new Promise((resolve) => child.on("close", (exitCode) => resolve({ text, exitCode })));
}

const hidden = "\x1b[?25l";
const shown = "\x1b[?25h";

turn.skipIf(missing !== "")(`tune draws a line for each kernel, then the table${missing}`, async () => {
  const { text, exitCode } = await onTerminal(project(), ["tune", "--seconds", "600", "--trials", "8"]);
  expect(exitCode).toBe(0);
  for (const kernel of kernels) {
    expect(text).toContain(`${kernel}: waits`);
    const name = kernel.replace(/[?.]/g, "\\$&");
    expect(text).toMatch(new RegExp(`${name}: round \\d+, \\d+ measured, `));
    expect(text).toMatch(new RegExp(`${name}: tuned, [\\d.]+ GFLOP/s`));
  }
  const [, table = ""] = text.split(/(?=\| kernel )/);
  expect(stripVTControlCharacters(table).split("\r\n")).toEqual([
    expect.stringMatching(/^\| kernel /),
    expect.stringMatching(/^\| -/),
    ...kernels.map((kernel) => expect.stringContaining(`| ${kernel}`)),
    "",
  ]);
  expect(text).not.toContain("[unplugin-kernel]");
  expect(text.lastIndexOf(shown)).toBeGreaterThan(text.lastIndexOf(hidden));
});

turn.skipIf(missing !== "")(`tune --json writes JSON alone${missing}`, async () => {
  const { text } = await onTerminal(project(), ["tune", "--json", "--seconds", "600", "--trials", "4"]);
  expect(JSON.parse(text).kernels).toHaveLength(2);
});

turn.skipIf(missing !== "")(`Ctrl-C ends it, with what was measured${missing}`, async () => {
  const root = project();
  const args = ["tune", "--seconds", "60", "--trials", "100000"];
  const { text, exitCode } = await onTerminal(root, args, /round [1-9]\d*, \d+ measured/);
  expect(exitCode).toBe(130);
  expect(text).toContain("interrupted by SIGINT: what was measured is kept");
  expect(text.lastIndexOf(shown)).toBeGreaterThan(text.lastIndexOf(hidden));
  expect(existsSync(join(root, "kernels.lock.json"))).toBe(false);
  const records = readFileSync(join(root, "node_modules/.cache/unplugin-kernel/records.jsonl"), "utf8");
  expect(records.trim().split("\n").length).toBeGreaterThan(0);
});
