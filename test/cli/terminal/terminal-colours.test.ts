// Colours of a command on a real terminal: that of `script`, which Linux has.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { writeProject } from "../project.ts";

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const hasTerminal = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
const missing = hasTerminal ? "" : " (no terminal: script of util-linux is not here)";

/** What `doctor` writes to a terminal with these variables in its environment. */
function doctorOnTerminal(environment: NodeJS.ProcessEnv): string {
  const { CI: _, NO_COLOR: _no, FORCE_COLOR: _force, ...env } = process.env;
  const command = `stty cols 200 rows 40; '${process.execPath}' '${cli}' doctor`;
  const { stdout, status } = spawnSync("script", ["-qec", command, "/dev/null"], {
    cwd: writeProject({ "package.json": "{}" }),
    encoding: "utf8",
    env: { ...env, TERM: "xterm-256color", ...environment },
  });
  expect(status).toBe(0);
  return stdout.replaceAll("\r\n", "\n");
}

const csi = "\u001b[";

test.skipIf(missing !== "")(
  `doctor has a bold head and green words on a terminal, and none with NO_COLOR${missing}`,
  () => {
    const text = doctorOnTerminal({});
    const plain = doctorOnTerminal({ NO_COLOR: "1" });
    expect(text).toContain(`${csi}1m| target `);
    expect(text).toContain(`| wasm `);
    expect(text).toContain(`${csi}32myes${csi}39m`);
    expect(plain).not.toContain(csi);
    const wasm = (all: string): string | undefined => all.split("\n").find((line) => line.startsWith("| wasm "));
    expect(stripVTControlCharacters(wasm(text) ?? "")).toBe(wasm(plain));
  },
);
