import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resolveOptions } from "../../../src/plugin/options/options.ts";
import type { KernelPluginOptions } from "../../../src/plugin/options/types.ts";
import { writeApp } from "../../support/build-app.ts";

const atHome = (options: KernelPluginOptions = {}) => resolveOptions(options, "/home/app", {});

describe("resolveOptions", () => {
  it("needs none", () => {
    const { accepts, leavesOut, ...rest } = atHome();
    expect(rest).toEqual({
      root: "/home/app",
      platforms: null,
      engines: [],
      cacheDir: "/home/app/node_modules/.cache/unplugin-kernel",
      lockfile: "/home/app/kernels.lock.json",
      mode: "tune",
      budget: { seconds: 30, trials: 512 },
      totalSeconds: null,
      onMiss: "error",
      packs: [],
      backends: [],
      remote: null,
      trust: { keys: [], revoked: [], require: [], identities: [], trustedRoot: null },
      signingKey: null,
      signingKeyFile: expect.stringMatching(/unplugin-kernel.signing\.key$/),
      dts: null,
      report: null,
      schedules: false,
      logLevel: "info",
      numerics: "fast",
    });
    expect(["/a/gemm.op.ts", "C:\\a\\gemm.op.mjs"].map(accepts)).toEqual([true, true]);
    expect(["/a/gemm.ts", "/a/gemm.op.ts.bak", "/a/op.ts"].map(accepts)).toEqual([false, false, false]);
    expect(leavesOut("/a/gemm.ts")).toBe(false);
  });

  it("takes the token of a shared store from the environment", () => {
    const environment = { UNPLUGIN_KERNEL_REMOTE_TOKEN: "secret" };
    const { remote } = resolveOptions({ remote: "https://kernels.example" }, "/home/app", environment);
    expect(remote?.server).toMatchObject({ protocol: "http", access: { authorization: "Bearer secret" } });
  });

  it("starts relative paths at the root, and the root at the host's", () => {
    const options = atHome({ root: "packages/a", lockfile: "../k.json", dts: true, report: "r.html", cacheDir: "/c" });
    expect(options).toMatchObject({
      root: "/home/app/packages/a",
      lockfile: "/home/app/packages/k.json",
      dts: "/home/app/packages/a/kernel-imports.d.ts",
      report: "/home/app/packages/a/r.html",
      cacheDir: "/c",
    });
  });

  it("keeps lock and store in the package, wherever in it the host begins", () => {
    const app = writeApp({ "package.json": "{}", "src/index.html": "" });
    expect(resolveOptions({}, join(app, "src"), {})).toMatchObject({
      root: app,
      lockfile: join(app, "kernels.lock.json"),
      cacheDir: join(app, "node_modules/.cache/unplugin-kernel"),
    });
    expect(resolveOptions({ root: "." }, join(app, "src"), {}).root).toBe(join(app, "src"));
  });

  it("takes the globs that bundlers take", () => {
    const accepted = (include: string, ...paths: string[]) => paths.map(atHome({ include }).accepts);
    expect(accepted("**/*.{op,kernel}.ts", "/a/x.op.ts", "/a/x.kernel.ts", "/a/x.ts")).toEqual([true, true, false]);
    expect(accepted("x[ab].op.ts", "/a/xa.op.ts", "/a/xc.op.ts")).toEqual([true, false]);
    expect(accepted("./src/*.op.ts", "/home/app/src/x.op.ts", "/home/src/x.op.ts")).toEqual([true, false]);
    expect(accepted("src/*.op.ts", "/home/app/src/x.op.ts", "/a/src/b/x.op.ts")).toEqual([true, false]);
    expect(accepted(".hidden/*.op.ts", "/a/.hidden/x.op.ts")).toEqual([true]);
  });

  it("asks no remote store offline: by option, or by the environment where no option is given", () => {
    const remote = "https://kernels.example/store";
    const remotes = [
      resolveOptions({ remote }, "/", {}),
      resolveOptions({ remote, offline: true }, "/", {}),
      resolveOptions({ remote }, "/", { UNPLUGIN_KERNEL_OFFLINE: "1" }),
      resolveOptions({ remote }, "/", { UNPLUGIN_KERNEL_OFFLINE: "0" }),
      resolveOptions({ remote, offline: false }, "/", { UNPLUGIN_KERNEL_OFFLINE: "1" }),
    ].map((options) => options.remote);
    expect(remotes.map((it) => it?.url ?? null)).toEqual([remote, null, null, remote, remote]);
  });

  it("is frozen in CI unless told otherwise", () => {
    expect(resolveOptions({}, "/", { CI: "true" }).mode).toBe("frozen");
    expect(resolveOptions({ mode: "tune" }, "/", { CI: "1" }).mode).toBe("tune");
    expect(["", "0", "false", undefined].map((CI) => resolveOptions({}, "/", { CI }).mode)).toEqual(
      Array.from({ length: 4 }, () => "tune"),
    );
  });

  it("keeps the other half of a budget", () => {
    expect(atHome({ budget: { trials: 64 } }).budget).toEqual({ seconds: 30, trials: 64 });
  });

  it("has seconds for all kernels together where they are given", () => {
    expect(atHome({ budget: { total: 60 } })).toMatchObject({
      budget: { seconds: 30, trials: 512 },
      totalSeconds: 60,
    });
  });

  it("includes and excludes by glob or regular expression", () => {
    const { accepts, leavesOut } = atHome({ include: ["ops/**/*.ts", /\.kernel\.js$/], exclude: "**/old/*" });
    expect(["/x/ops/old/a.ts", "/x/ops/a.ts", "/x/a.ts"].map(leavesOut)).toEqual([true, false, false]);
    expect(["/x/ops/a.ts", "/x/ops/b/c/a.ts", "/x/a.kernel.js"].map(accepts)).toEqual([true, true, true]);
    expect(["/x/ops/old/a.ts", "/x/tops/a.ts", "/x/ops/a.tsx"].map(accepts)).toEqual([false, false, false]);
  });

  const known =
    "backends, budget, cacheDir, dts, engines, exclude, include, lockfile, logLevel, mode, numerics, offline, onMiss, packs, platforms, remote, report, root, schedules, trust";
  it.each([
    [
      { target: "wasm" },
      `options.unknown: unplugin-kernel has no option "target"
  hint: the options are ${known}`,
    ],
    [
      { mode: "fast" },
      `options.bad-value: option mode is "fast"
  hint: wanted: "tune", "frozen", "predict", "off"`,
    ],
    [
      { budget: { seconds: -1 } },
      `options.bad-value: option budget is {"seconds":-1}
  hint: wanted: { seconds, trials, total } with numbers above 0`,
    ],
    [
      { budget: { minutes: 1 } },
      `options.bad-value: option budget is {"minutes":1}
  hint: wanted: { seconds, trials, total } with numbers above 0`,
    ],
    [
      { include: [3] },
      `options.bad-value: option include is [3]
  hint: wanted: a glob, a regular expression, or a list of them`,
    ],
    [
      { remote: "ftp://example.org" },
      `options.bad-value: option remote is "ftp://example.org"
  hint: wanted: an http, https or s3 URL, or { url, protocol: "http", "s3", "turborepo", mode: "read-only", "read-write", "off", namespace } (credentials in the URL: for "http" alone)`,
    ],
    [
      { dts: () => "x" },
      `options.bad-value: option dts is a function
  hint: wanted: true, false or a path`,
    ],
    [
      { trust: "key" },
      `options.bad-value: option trust is "key"
  hint: wanted: a list of public keys, or { keys, revoked, require, identities, trustedRoot }`,
    ],
  ])("refuses %j", (options, message) => {
    expect(() => atHome(options as KernelPluginOptions)).toThrow(expect.objectContaining({ message }));
  });
});
