import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { type CpuTarget, codegenVersion, targetNames, targets } from "../../../src/compiler/index.ts";
import { canonicalJson } from "../../../src/tuner/data/key.ts";
import { decodeLockEntry, lockEntryJson, staleReason } from "../../../src/tuner/lock/lock-entry.ts";
import { parseLockfile, printLockfile, readLockfile, updateLockfile } from "../../../src/tuner/lock/lockfile.ts";
import { lockEntry } from "../store/sample-entry.ts";

const kernel = "src/gemm.op.ts?K=512&M=512&N=512&tune=avx2";
const printed = printLockfile(new Map([[kernel, lockEntry]]));

let directory = "";
let path = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lockfile-"));
  path = join(directory, "kernels.lock.json");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const diagnosticOf = (content: string) => {
  const read = parseLockfile(content, "/app/kernels.lock.json");
  return read.kind === "broken" ? read.diagnostic : null;
};

it.skipIf(process.platform === "win32")("is none where it is a pipe, or leads to a device without an end", async () => {
  const said = /cannot be read: .* is no regular file$/;
  execFileSync("mkfifo", [path]);
  const written = await updateLockfile(path, new Map([[kernel, lockEntry]]));
  expect(written?.message).toMatch(said);
  rmSync(path);
  symlinkSync("/dev/zero", path);
  const read = await readLockfile(path);
  expect(read.kind === "broken" && read.diagnostic.message).toMatch(said);
});

it("is written where handles of files have no `sync`, as those of Yarn's Plug'n'Play", async () => {
  const handle = await open(join(directory, "any"), "w");
  const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync").mockImplementation(() => {
    throw new Error("Method not implemented.");
  });
  await handle.close();
  try {
    await updateLockfile(path, new Map([[kernel, lockEntry]]));
  } finally {
    sync.mockRestore();
  }
  expect(readFileSync(path, "utf8")).toContain(kernel);
});

test("the source of an entry is a digest, and nothing else", () => {
  const entry = JSON.parse(canonicalJson(lockEntryJson(lockEntry)));
  expect(decodeLockEntry(entry, []).source).toBe(lockEntry.source);
  for (const source of ["", "2222", "g".repeat(64), 2])
    expect(() => decodeLockEntry({ ...entry, source }, [])).toThrow("source");
});

describe("the text", () => {
  it("is stable, sorted, one field a line", () => {
    const entries = new Map([
      ["b.op.ts?tune=wasm", { ...lockEntry, measured: null }],
      ["a.op.ts?tune=avx2", lockEntry],
    ]);
    expect(printLockfile(entries)).toMatchInlineSnapshot(`
      "{
        "schema": 1,
        "kernels": {
          "a.op.ts?tune=avx2": {
            "op": {"digest": "1111111111111111111111111111111111111111111111111111111111111111", "name": "gemm", "parameters": {"K": 512, "M": 512, "N": 512, "dtype": "f32"}},
            "target": {"codegen": "c", "features": ["avx2", "fma"], "hasFma": true, "hasMaskedStore": true, "l1Bytes": 32768, "l2Bytes": 524288, "l3Bytes": 4194304, "name": "avx2", "threads": 1, "vectorBytes": 32, "vectorRegisters": 16},
            "numerics": "fast",
            "threads": 1,
            "codegen": "1",
            "candidate": {"assignment": {"C.i.0": 4, "C.i.1": 12}, "template": "pack A at ic, pack B at kc"},
            "source": "2222222222222222222222222222222222222222222222222222222222222222",
            "measured": {"gflops": 186.2, "machine": "avx2 avx2+fma 32B 16r", "medianNs": 1441234.5, "toolchain": "gcc 12.2.0", "trials": 112}
          },
          "b.op.ts?tune=wasm": {
            "op": {"digest": "1111111111111111111111111111111111111111111111111111111111111111", "name": "gemm", "parameters": {"K": 512, "M": 512, "N": 512, "dtype": "f32"}},
            "target": {"codegen": "c", "features": ["avx2", "fma"], "hasFma": true, "hasMaskedStore": true, "l1Bytes": 32768, "l2Bytes": 524288, "l3Bytes": 4194304, "name": "avx2", "threads": 1, "vectorBytes": 32, "vectorRegisters": 16},
            "numerics": "fast",
            "threads": 1,
            "codegen": "1",
            "candidate": {"assignment": {"C.i.0": 4, "C.i.1": 12}, "template": "pack A at ic, pack B at kc"},
            "source": "2222222222222222222222222222222222222222222222222222222222222222",
            "measured": null
          }
        }
      }
      "
    `);
    expect(printLockfile(new Map([...entries].reverse()))).toBe(printLockfile(entries));
  });

  it("comes back as it was", () => {
    expect(parseLockfile(printed, path)).toEqual({ kind: "ok", entries: new Map([[kernel, lockEntry]]) });
    expect(parseLockfile(printed.replaceAll("\n", "\r\n"), path).kind).toBe("ok");
    expect(parseLockfile(printLockfile(new Map()), path)).toEqual({ kind: "ok", entries: new Map() });
  });
});

describe("a broken file names its line and what is wrong", () => {
  const lineOf = (needle: string) => printed.slice(0, printed.indexOf(needle)).split("\n").length;

  it.each([
    [
      "a missing comma",
      printed.replace('"numerics": "fast",', '"numerics": "fast"'),
      lineOf('      "threads"'),
      'a "," or "}" is missing',
    ],
    [
      "a merge conflict",
      printed.replace('      "codegen"', '<<<<<<< HEAD\n      "codegen"'),
      lineOf('      "codegen"'),
      "a merge conflict is not resolved",
    ],
    [
      "a field twice",
      printed.replace('      "threads": 1,', '"threads": 1,\n"threads": 2,'),
      lineOf('      "threads"') + 1,
      'the field "threads" is there twice',
    ],
    [
      "an unknown field",
      printed.replace('      "threads": 1,', '"threads": 1, "note": 1,'),
      lineOf('      "threads"'),
      "note must be absent: the known fields are op, target, numerics, threads, codegen, candidate, source, measured",
    ],
    [
      "an unknown target",
      printed.replace('"name": "avx2"', '"name": "mmx"'),
      lineOf('"target"'),
      `target.name must be ${targetNames.map((name) => JSON.stringify(name)).join(" or ")}`,
    ],
    [
      "a fraction as a decision",
      printed.replace('"C.i.1": 12', '"C.i.1": 12.5'),
      lineOf('"candidate"'),
      "C.i.1 must be an integer in 0..2147483647",
    ],
    [
      "a compiler option as a feature",
      printed.replace('"fma"', '"fma -include /etc/passwd"'),
      lineOf('"target"'),
      "features.1 must be a feature name",
    ],
    ["nothing", "", 1, "a value is missing"],
    ["a cut text", printed.slice(0, -20), printed.slice(0, -20).split("\n").length, "is missing"],
    ["text after the end", `${printed}x`, printed.split("\n").length, "text after the end"],
  ])("%s", (_, content, line, message) => {
    const diagnostic = diagnosticOf(content);
    expect(diagnostic?.code).toBe("lock.broken");
    expect(diagnostic?.message).toContain("kernels.lock.json cannot be read: ");
    expect(diagnostic?.message).toContain(message);
    expect(diagnostic?.loc).toMatchObject({ file: "/app/kernels.lock.json", line });
  });

  it("another version is named as such and left alone", async () => {
    const newer = '{ "schema": 2,\n  "kernels": [] }';
    writeFileSync(path, newer);
    const diagnostic = await updateLockfile(path, new Map([[kernel, lockEntry]]));
    expect(diagnostic).toMatchObject({ code: "lock.version", loc: { line: 1 } });
    expect(diagnostic?.message).toContain("has schema 2, this version reads schema 1");
    expect(readFileSync(path, "utf8")).toBe(newer);
  });

  it("a broken file is left alone by an update", async () => {
    writeFileSync(path, "{");
    expect(await updateLockfile(path, new Map([[kernel, lockEntry]]))).toMatchObject({ code: "lock.broken" });
    expect(readFileSync(path, "utf8")).toBe("{");
  });
});

describe("an update", () => {
  it("creates, adds, replaces and removes, and leaves no other file", async () => {
    expect(await readLockfile(path)).toEqual({ kind: "ok", entries: new Map() });
    expect(await updateLockfile(path, new Map([["a", lockEntry]]))).toBeNull();
    expect(await updateLockfile(path, new Map([["b", lockEntry]]))).toBeNull();
    const slower = { ...lockEntry, measured: null };
    expect(
      await updateLockfile(
        path,
        new Map([
          ["a", null],
          ["b", slower],
        ]),
      ),
    ).toBeNull();
    expect(await readLockfile(path)).toEqual({ kind: "ok", entries: new Map([["b", slower]]) });
    expect(readdirSync(directory)).toEqual(["kernels.lock.json"]);
  });

  it("keeps four digits of what is measured, and leaves entries of others as they are", async () => {
    const { measured } = lockEntry;
    const longer = { ...lockEntry, measured: { ...measured!, gflops: 58.02319288182479, medianNs: 4626347.546001469 } };
    writeFileSync(path, printLockfile(new Map([["a.op.ts?tune=avx2", longer]])));
    expect(await updateLockfile(path, new Map([["b.op.ts?tune=avx2", longer]]))).toBeNull();
    const read = await readLockfile(path);
    const entries = read.kind === "ok" ? read.entries : new Map();
    expect(entries.get("a.op.ts?tune=avx2")).toEqual(longer);
    expect(entries.get("b.op.ts?tune=avx2").measured).toEqual({ ...measured, gflops: 58.02, medianNs: 4626000 });
  });

  it.skipIf(process.platform === "win32")(
    "is not written in its place: a reader keeps the text that it opened",
    async () => {
      const before = printLockfile(new Map([["a", lockEntry]]));
      writeFileSync(path, before);
      const reader = await open(path, "r");
      await updateLockfile(path, new Map([["b", lockEntry]]));
      expect(await reader.readFile("utf8")).toBe(before);
      await reader.close();
    },
  );

  it("removes what a killed writer left", async () => {
    writeFileSync(`${path}.0000.tmp`, "half");
    await updateLockfile(path, new Map([["a", lockEntry]]));
    expect(readdirSync(directory)).toEqual(["kernels.lock.json"]);
  });

  it("writes through a symbolic link to a file that is not there yet, and keeps the link", async () => {
    const link = join(directory, "link.json");
    symlinkSync("elsewhere/lock.json", link);
    expect(await updateLockfile(link, new Map([[kernel, lockEntry]]))).toBeNull();
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(directory, "elsewhere/lock.json"), "utf8")).toContain(kernel);
  });

  it("writes through a symbolic link", async () => {
    const link = join(directory, "link.json");
    await updateLockfile(path, new Map([["a", lockEntry]]));
    symlinkSync(path, link);
    await updateLockfile(link, new Map([["b", lockEntry]]));
    expect([...((await readLockfile(path)).kind === "ok" ? ["ok"] : [])]).toEqual(["ok"]);
    expect(readFileSync(path, "utf8")).toContain('"b": {');
  });

  it("that cannot be written is a diagnostic", async () => {
    writeFileSync(join(directory, "file"), "");
    const diagnostic = await updateLockfile(join(directory, "file", "kernels.lock.json"), new Map([["a", lockEntry]]));
    expect(diagnostic?.code).toBe("lock.unwritable");
  });

  it("that could not be read back is a bug, and the file stays as it was", async () => {
    const unreadable = { ...lockEntry, threads: 0.5 };
    await expect(updateLockfile(path, new Map([["a", unreadable]]))).rejects.toThrow(
      "threads must be an integer in 1..4096",
    );
    expect(readdirSync(directory)).toEqual([]);
  });

  it("by two processes at once loses nothing", async () => {
    const script = join(directory, "update.mjs");
    const { buildSync } = await import("esbuild");
    buildSync({
      stdin: {
        contents: `import { updateLockfile } from ${JSON.stringify(join(process.cwd(), "src/tuner/lock/lockfile.ts"))};
          const [path, name, entry] = process.argv.slice(2);
          for (let i = 0; i < 15; i++) {
            const diagnostic = await updateLockfile(path, new Map([[name + i, JSON.parse(entry)]]));
            if (diagnostic) throw new Error(diagnostic.message);
          }`,
        resolveDir: directory,
      },
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: script,
    });
    const run = (name: string) => execa(process.execPath, [script, path, name, JSON.stringify(lockEntry)]);
    await Promise.all([run("a"), run("b")]);
    const read = await readLockfile(path);
    expect(read.kind === "ok" && read.entries.size).toBe(30);
    expect(existsSync(path)).toBe(true);
  });
});

describe("an entry goes stale", () => {
  const { target, numerics, threads, codegen } = lockEntry;
  const request = { target, numerics, threads, codegen, opDigest: lockEntry.op.digest };

  it("not with the caches of another machine", () => {
    expect(staleReason(lockEntry, request)).toBeNull();
    expect(staleReason(lockEntry, { ...request, target: { ...target, l2Bytes: 1 } })).toBeNull();
  });

  it.each([
    [{ opDigest: "9".repeat(64) }, "the operator was changed"],
    [{ target: { ...target, name: "avx512" as const } }, "it is for target avx2"],
    [{ target: { ...target, features: ["avx2"] } }, "it is for the features avx2 fma, wanted are avx2"],
    [{ numerics: "strict" as const }, 'it is for numerics "fast"'],
    [{ threads: 2 }, "it is for 1 threads"],
    [{ codegen: "2" }, "it was made by code generator 1, this is 2"],
  ])("with %j", (change, reason) => {
    expect(staleReason(lockEntry, { ...request, ...change })).toBe(reason);
  });
});

describe("a target", () => {
  const printedWith = (change: Partial<CpuTarget>, codegen = codegenVersion) =>
    printLockfile(new Map([[kernel, { ...lockEntry, codegen, target: { ...targets.avx512, ...change } }]]));

  it("may have the caches and threads of any machine", () => {
    expect(diagnosticOf(printedWith({ l1Bytes: 1, l2Bytes: 2, l3Bytes: 3, threads: 4 }))).toBeNull();
  });

  it.each([
    [{ backend: "wasm" }, 'target.codegen must be "c", as the target is avx512'],
    [{ vectorBytes: 32 }, "target.vectorBytes must be 64, as the target is avx512"],
    [{ vectorRegisters: 16 }, "target.vectorRegisters must be 32, as the target is avx512"],
    [{ hasFma: false }, "target.hasFma must be true, as the target is avx512"],
    [{ hasMaskedStore: false }, "target.hasMaskedStore must be true, as the target is avx512"],
    [{ features: [] }, 'target.features must be ["avx","avx2",'],
  ] satisfies readonly [Partial<CpuTarget>, string][])("says of itself what its name says: %j", (lie, message) => {
    const text = printedWith(lie);
    const line = text.slice(0, text.indexOf('"target"')).split("\n").length;
    expect(diagnosticOf(text)).toMatchObject({ code: "lock.broken", loc: { line } });
    expect(diagnosticOf(text)?.message).toContain(message);
  });

  it("of another code generator is stale, not broken: its table may have been another one", () => {
    expect(diagnosticOf(printedWith({ vectorRegisters: 16 }, "0"))).toBeNull();
  });
});

describe("the link to the schema", () => {
  const installIn = (folder: string) => {
    const installed = join(folder, "node_modules/unplugin-kernel");
    mkdirSync(installed, { recursive: true });
    writeFileSync(join(installed, "kernels.lock.schema.json"), "{}");
  };
  const linkIn = (file: string) => JSON.parse(readFileSync(file, "utf8")).$schema;

  it("is the first field, and leads from the lock to the package, also to one above it", async () => {
    installIn(directory);
    await updateLockfile(path, new Map([[kernel, lockEntry]]));
    expect(readFileSync(path, "utf8").split("\n")[1]).toBe(
      '  "$schema": "./node_modules/unplugin-kernel/kernels.lock.schema.json",',
    );
    const below = join(directory, "packages/app/kernels.lock.json");
    await updateLockfile(below, new Map([[kernel, lockEntry]]));
    expect(linkIn(below)).toBe("../../node_modules/unplugin-kernel/kernels.lock.schema.json");
    expect(existsSync(join(directory, "packages/app", linkIn(below)))).toBe(true);
  });

  it("is not there where no folder has the package", async () => {
    await updateLockfile(path, new Map([[kernel, lockEntry]]));
    expect(readFileSync(path, "utf8").split("\n")[1]).toBe('  "schema": 1,');
  });

  it("stays as it is, and a lock without one is left alone until an entry changes", async () => {
    const other = printLockfile(new Map([[kernel, lockEntry]]), "https://example.test/schema.json");
    writeFileSync(path, other);
    await updateLockfile(path, new Map([["b", lockEntry]]));
    expect(linkIn(path)).toBe("https://example.test/schema.json");
    const entry = { ...lockEntry, measured: null };
    const earlier = printLockfile(new Map([[kernel, entry]]));
    writeFileSync(path, earlier);
    installIn(directory);
    expect(await updateLockfile(path, new Map([[kernel, entry]]))).toBeNull();
    expect(readFileSync(path, "utf8")).toBe(earlier);
  });

  it("is text", () => {
    expect(diagnosticOf(printed.replace("{", '{"$schema": 1,'))?.message).toContain("$schema must be text");
  });
});
