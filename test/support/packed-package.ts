// The package as `npm publish` would send it, and a project of its own in which it is installed from that file.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));

export interface Packed {
  /** Absolute path of the tarball. */
  readonly file: string;
  /** Relative paths of all that is in it. */
  readonly files: readonly string[];
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}

/** Packs what `node build.js` has built. */
export function packPackage(): Packed {
  const folder = mkdtempSync(join(tmpdir(), "packed-"));
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const [said] = JSON.parse(execFileSync("npm", args, { cwd: repository, encoding: "utf8", stdio: "pipe" }));
  return {
    file: join(folder, said.filename),
    files: said.files.map(({ path }: { path: string }) => path),
    packedBytes: said.size,
    unpackedBytes: said.unpackedSize,
  };
}

export const packedBytes = ({ file }: Packed): Uint8Array => readFileSync(file);

/** An empty project with nothing but the package, and other packages by name; npm's cache is the user's. */
export function installPacked({ file }: Packed, ...others: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), "installed-"));
  writeFileSync(join(root, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  execFileSync("npm", ["install", "--no-audit", "--no-fund", file, ...others], { cwd: root, stdio: "pipe" });
  return root;
}
