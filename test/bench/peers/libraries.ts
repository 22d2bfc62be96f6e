// The libraries that are looked for.

import { findNative, type NativeLibrary } from "./native-peer.ts";
import type { Found, PeerOptions } from "./peer.ts";

const folder = "/usr/lib/x86_64-linux-gnu";

const cblas = (...options: readonly string[]): Pick<NativeLibrary, "source" | "compilerOptions"> => ({
  source: "cblas.c",
  compilerOptions: options,
});

const openblas = `${folder}/openblas-pthread/libopenblas.so.0`;
const blis = `${folder}/blis-pthread/libblis.so.4`;

const libraries: readonly NativeLibrary[] = [
  {
    name: "OpenBLAS",
    files: [openblas],
    packages: ["libopenblas0-pthread"],
    ...cblas("-DSET_THREADS=openblas_set_num_threads", "-DINTEGER=int", openblas),
  },
  {
    name: "BLIS",
    files: [blis],
    packages: ["libblis4-pthread"],
    ...cblas("-DIS_BLIS", "-DSET_THREADS=bli_thread_set_num_threads", "-DINTEGER=long", blis),
  },
  {
    name: "oneDNN",
    source: "onednn.c",
    files: [`${folder}/libdnnl.so.2`, "/usr/include/dnnl.h"],
    compilerOptions: ["-ldnnl", "-lgomp"],
    packages: ["libdnnl-dev"],
  },
  {
    name: "LIBXSMM",
    source: "libxsmm.c",
    files: ["/usr/lib/libxsmm.a", "/usr/include/libxsmm.h"],
    compilerOptions: ["-lxsmm", "-lxsmmnoblas", "-ldl", "-lpthread"],
    packages: ["libxsmm-dev"],
  },
  {
    name: "XNNPACK",
    source: "xnnpack.c",
    files: [`${folder}/libXNNPACK.so.0`, "/usr/include/xnnpack.h", "/usr/include/pthreadpool.h"],
    compilerOptions: ["-lXNNPACK", "-lpthreadpool"],
    packages: ["libxnnpack-dev", "libpthreadpool-dev"],
  },
  {
    name: "loops in C",
    source: "loops.c",
    files: ["/usr/bin/gcc"],
    // As -ffast-math, but for what would have this process flush small numbers to 0, and for reciprocals that are not exact.
    compilerOptions: [
      "-O3",
      "-mprefer-vector-width=512",
      ...["-fno-math-errno", "-fno-trapping-math", "-ffinite-math-only", "-fno-signed-zeros", "-fassociative-math"],
    ],
    packages: ["gcc"],
  },
];

export const findPeers = (options: PeerOptions): readonly Found[] =>
  libraries.map((library) => findNative(library, options));
