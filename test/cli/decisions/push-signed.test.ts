// `cache push --sign`: an addon that one machine built is taken by another that has no compiler, under the signature of a listed key.

import { execFile } from "node:child_process";
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { detectToolchains } from "../../../src/native/toolchain/detect.ts";
import { generateSigningKey, privateLine, publicLine } from "../../../src/tuner/trust/keys.ts";
import { isHere } from "../../skips/environment.js";
import { inTurn } from "../../support/long.ts";
import { type Double, startDouble } from "../../support/remote/double.ts";
import { gemm, writeProject } from "../project.ts";

const turn = inTurn(4);

const cli = fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));
const build = fileURLToPath(new URL("../../../dist/esbuild.js", import.meta.url));
const key = generateSigningKey("ci-1");
const isPossible = (await detectToolchains()).length > 0 && isHere("avx2");

const project = (): string =>
  writeProject({
    "src/gemm.op.ts": gemm,
    "src/main.ts": 'import gemm from "./gemm.op.ts?tune=avx2";\nconsole.log(gemm.info.target);\n',
  });

/** Runs Node beside this process, which is the server's. */
function node(root: string, environment: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const env = { ...process.env, CI: "1", ...environment };
  return new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
    const child = execFile(process.execPath, args, { cwd: root, env }, (_, output, errors) =>
      resolve({ code: child.exitCode ?? -1, output: output + errors }),
    );
  });
}

/** Builds where no compiler is found, and says which files came out. */
async function buildWithoutCompiler(root: string, url: string, keys: readonly string[], mode = "frozen") {
  const options = { mode, remote: url, trust: keys };
  writeFileSync(
    join(root, "build.mjs"),
    `import { readdirSync } from "node:fs";
import { build } from ${JSON.stringify(import.meta.resolve("esbuild"))};
import kernel from ${JSON.stringify(build)};
await build({ entryPoints: ["src/main.ts"], bundle: true, format: "esm", platform: "node", outdir: "out",
  plugins: [kernel(${JSON.stringify(options)})] });
console.log(readdirSync("out", { recursive: true }).filter((name) => name.endsWith(".node")).length, "addons");`,
  );
  return node(root, { PATH: "/nowhere" }, "build.mjs");
}

describe.skipIf(!isPossible)(`cache push --sign${isPossible ? "" : " (needs a C compiler, avx2)"}`, () => {
  let server: Double;
  let origin: string;
  const secret = { UNPLUGIN_KERNEL_SIGNING_KEY: privateLine(key) };

  beforeAll(async () => {
    server = await startDouble();
    origin = project();
    await node(origin, {}, cli, "tune", "--trials", "4");
    const pushed = await node(origin, secret, cli, "cache", "push", "--sign", "--remote", server.url);
    expect(pushed).toMatchObject({ code: 0, output: "1 sent, 0 kept, 0 failed\n" });
  });
  afterAll(() => server.close());

  const elsewhere = (): string => {
    const root = project();
    copyFileSync(join(origin, "kernels.lock.json"), join(root, "kernels.lock.json"));
    return root;
  };

  turn("an addon goes where there is no compiler", async () => {
    const { code, output } = await buildWithoutCompiler(elsewhere(), server.url, [publicLine(key)]);
    expect(output).toContain("its addon was built elsewhere, signed by key ci-1");
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^1 addons$/m) });
  });

  turn("and its decision with it, where the lock has none", async () => {
    const root = project();
    const { code, output } = await buildWithoutCompiler(root, server.url, [publicLine(key)], "tune");
    expect(output).toContain("its decision and addon are from elsewhere, signed by key ci-1");
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^1 addons$/m) });
    expect(existsSync(join(root, "kernels.lock.json"))).toBe(false);
  });

  turn("but not where its key is not listed: that is said, and the WASM twin is built", async () => {
    const other = publicLine(generateSigningKey("other"));
    const { code, output } = await buildWithoutCompiler(elsewhere(), server.url, [other]);
    expect(output).toContain("key ci-1 is not one that option trust lists");
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^0 addons$/m) });
  });

  turn("a push needs a key", async () => {
    const home = { XDG_CONFIG_HOME: join(origin, "nobody") };
    const { code, output } = await node(origin, home, cli, "cache", "push", "--sign", "--remote", server.url);
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining("trust.not-signed: there is no private key"),
    });
  });
});
