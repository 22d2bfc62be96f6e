// Parsers of what a system and its tools say: files of /proc and /etc, and compilers' messages.

import { flushBytes } from "../../../../src/native/harness/flush-caches.ts";
import { commandOf, inodeIn } from "../../../../src/native/lock/socket-holder.ts";
import { cpuNameOf } from "../../../../src/native/machine/cpu-name.ts";
import { firstErrors } from "../../../../src/native/toolchain/run-compiler.ts";
import { toolDigest } from "../../../../src/native/toolchain/tool-digest.ts";
import { placeProblems } from "../../../../src/tuner/store/store-place.ts";
import { folderWith } from "../folder.ts";
import type { FuzzedParser } from "../parser.ts";

const stat = `4711 (node (a) b) S ${Array.from({ length: 40 }, (_, at) => at * 1000).join(" ")}`;
const unix = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 81234 @unplugin-kernel-measure@@@@
0000000000000000: 00000002 00000000 00010000 0001 01 81235 /run/dbus
`;
const passwd = "root:x:0:0:root:/root:/bin/bash\nme:x:1000:1000::/home/me:/bin/sh\n";

export const systemParsers: readonly FuzzedParser[] = [
  {
    name: "proc-stat",
    seeds: () => [stat, "cpu  1 2 3\nbtime 1700000000\nprocesses 7\n"],
    isPrinted: false,
    read(text) {
      const shown = [commandOf(text, "btime 1700000000\n"), commandOf(stat, text)];
      for (const one of shown)
        if (!/^( \([\x20-\x7e]*\), since [+\dTZ:.-]+)?$/.test(one)) throw new Error(`it shows ${one}`);
      return shown.join();
    },
  },
  {
    name: "proc-net-unix",
    seeds: () => [unix],
    isPrinted: false,
    read(text) {
      const inode = inodeIn(text, "unplugin-kernel-measure");
      if (inode !== null && !/^\d+$/.test(inode)) throw new Error(`an inode "${inode}"`);
      return inode;
    },
  },
  {
    name: "cpu-name",
    seeds: () => ["processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n"],
    isPrinted: false,
    read: (text) => cpuNameOf("AMD EPYC", text),
  },
  {
    name: "cache-size",
    seeds: () => ["32768K\n", "64M\n"],
    isPrinted: false,
    read(text) {
      const bytes = flushBytes([text]);
      if (!(bytes >= 2 ** 25 && bytes <= 2 ** 28)) throw new Error(`a block of ${bytes} bytes`);
      return String(bytes);
    },
  },
  {
    name: "users-and-groups",
    seeds: () => [passwd, "root:x:0:\nme:x:1000:\nusers:x:100:me,you\n"],
    isPrinted: false,
    read(text) {
      const facts = { uid: 1000, gid: 1000, mode: 0o775 };
      const probe = { fileSystem: () => 0xef53, folder: () => facts, user: () => facts };
      const problems = [
        placeProblems("/app/store", "/app", { ...probe, groups: () => text, users: () => passwd }),
        placeProblems("/app/store", "/app", { ...probe, groups: () => "", users: () => text }),
      ];
      return JSON.stringify(problems.map((them) => them.map(({ kind }) => kind)));
    },
  },
  {
    name: "compiler-output",
    seeds: () => [
      "kernel.c: In function 'gemm':\nkernel.c:12:5: error: 'x' undeclared\n   12 |     x = 1;\n      |     ^\n",
      "ld: cannot find -lm: No space left on device\n",
    ],
    isPrinted: false,
    read(text) {
      const errors = firstErrors(text);
      if (errors.split("\n").length > 5 && errors.length > 500) throw new Error("more than the first errors");
      return errors;
    },
  },
  {
    // Digests of programs, which the user's cache directory keeps: a damaged file costs time, and gives no other digest of what it does not name.
    name: "tool-digests",
    share: 0.2,
    seeds: () => [JSON.stringify({ "/usr/bin/gcc 1 2 3 4": "ab".repeat(32) }), "{}"],
    isPrinted: false,
    async read(text) {
      const folder = folderWith("tools", { "tools.json": text, gcc: "a compiler" });
      const digest = await toolDigest([`${folder}/gcc`], `${folder}/tools.json`);
      if (digest === null || !/^[0-9a-f]{64}$/.test(digest)) throw new Error(`a digest ${digest}`);
      return digest;
    },
  },
];
