// Mesa's driver for CPUs as test/gpu/lavapipe/install.js unpacks it. It wants a newer C library than the machine has, so Node is started by
// the loader of that library, which finds all others beside it.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type AcceleratorTarget, webgpu } from "../../../src/compiler/index.ts";
import { withSubgroupMatrices } from "../../../src/compiler/target/subgroup-matrices.ts";
import { packageFile } from "../../../src/native/machine/package-file.ts";

/** The machine: subgroups of eight, matrices of 8 × 8. */
export const lavapipeTarget: AcceleratorTarget = withSubgroupMatrices(webgpu, {
  lanes: 8,
  rows: 8,
  columns: 8,
  depth: 8,
  operands: ["f16", "s8", "u8"],
});

export const lavapipeFeatures = ["shader-f16", "subgroups", "chromium-experimental-subgroup-matrix"] as const;

// Bundled sweeps use it from elsewhere, so the folder is looked for from there upwards.
const folder = join(dirname(packageFile("test/run.js")), "../out/lavapipe");
const libraries = join(folder, "usr/lib/x86_64-linux-gnu");

/** Null: it is here; else what is missing. */
export const noLavapipe = existsSync(folder)
  ? null
  : "node test/gpu/lavapipe/install.js installs Mesa's driver for CPUs";

const mark = "UNPLUGIN_KERNEL_TEST_LAVAPIPE";

/** Whether this process runs on the driver. */
export const isOnLavapipe = process.env[mark] === "1";

/** Program, arguments and environment of a Node that runs on the driver. */
export function nodeOnLavapipe(args: readonly string[]): {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
} {
  const driver = join(folder, "driver.json");
  const library_path = join(libraries, "libvulkan_lvp.so");
  mkdirSync(folder, { recursive: true });
  const manifest = { file_format_version: "1.0.1", ICD: { api_version: "1.4.0", library_path } };
  writeFileSync(driver, `${JSON.stringify(manifest, null, 2)}\n`);
  return {
    program: join(folder, "usr/lib64/ld-linux-x86-64.so.2"),
    args: ["--library-path", libraries, process.execPath, ...args],
    env: { ...process.env, VK_DRIVER_FILES: driver, XDG_RUNTIME_DIR: tmpdir(), [mark]: "1" },
  };
}

/** Starts this program again on the driver, where it is not on it, and ends as it does. */
export function restartOnLavapipe(): void {
  if (isOnLavapipe) return;
  const { program, args, env } = nodeOnLavapipe(process.argv.slice(1));
  process.exit(spawnSync(program, args, { stdio: "inherit", env }).status ?? 1);
}
