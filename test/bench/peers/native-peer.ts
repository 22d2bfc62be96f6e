// Libraries of the system behind one C interface (native/peer.h): for each a few lines of C are compiled against what is
// installed, and called by koffi. The runs of a sample are a loop in C, as they are for our kernels.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import koffi from "koffi";
import type { Found, Peer, PeerOptions } from "./peer.ts";

export interface NativeLibrary {
  readonly name: string;
  /** Name of its C file in native/. */
  readonly source: string;
  /** Files that all have to exist; the version is that of the first one's package. */
  readonly files: readonly string[];
  readonly compilerOptions: readonly string[];
  /** Names of the Debian packages. */
  readonly packages: readonly string[];
}

/** Folder of the sources in the checkout, seen from dist/test. */
export const nativeSources = join(import.meta.dirname, "../../test/bench/peers/native");

export function findNative(library: NativeLibrary, options: PeerOptions): Found {
  const { name, files, packages } = library;
  if (files.every((file) => existsSync(file))) return { kind: "found", peer: nativePeer(library, options) };
  return { kind: "missing", name, remedy: `apt-get install ${packages.join(" ")}` };
}

/** Compiles for this machine, and for nothing else. */
export function compileShared(
  source: string,
  path: string,
  options: readonly string[] = [],
): ReturnType<typeof koffi.load> {
  const own = ["-O2", "-march=native", "-shared", "-fPIC", "-o", path, join(nativeSources, source)];
  execFileSync("gcc", [...own, ...options, "-lm"], { stdio: ["ignore", "inherit", "inherit"] });
  return koffi.load(path);
}

function nativePeer(
  { name, source, files, compilerOptions }: NativeLibrary,
  { directory, threads }: PeerOptions,
): Peer {
  const library = compileShared(source, join(directory, `${name}.so`), compilerOptions);
  const open = library.func("void *peer_open(const char *, const double *, void **)");
  const time = library.func("double peer_time(void *, int)");
  const close = library.func("void peer_close(void *)");
  const chosen = library.func("const char *peer_chosen(void)");
  library.func("void peer_threads(int)")(threads);
  let opened: unknown = null;
  function closeOpened(): void {
    if (opened) close(opened);
    opened = null;
  }
  return {
    name,
    version: versionOf(files[0]!),
    chosen: () => (chosen() as string | null) || null,
    open(call, arrays) {
      closeOpened();
      const addresses = arrays.map((array) => koffi.address(array));
      const place = open(call.name, Float64Array.from(call.extents), addresses);
      opened = place;
      return place ? (runs) => time(place, runs) : null;
    },
    close: closeOpened,
  };
}

/** Version of the Debian package that a file belongs to. */
function versionOf(file: string): string {
  try {
    const owner = execFileSync("dpkg", ["-S", file], { encoding: "utf8" }).split(":")[0]!;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is dpkg's
    return execFileSync("dpkg-query", ["-W", "-f", "${Version}", owner], { encoding: "utf8" });
  } catch {
    return "of an unknown version";
  }
}
