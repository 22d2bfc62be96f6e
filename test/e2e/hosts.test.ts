// The same small app through each bundler: built, moved to another folder, run in Node.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { requestTargets } from "../../src/plugin/request/request.ts";
import {
  blendCall,
  buildApp,
  type HostName,
  hosts,
  largeHosts,
  missingHost,
  outputFiles,
  recordingCompiler,
  runMoved,
  writeApp,
} from "../support/build-app.ts";
import { expected, fakeKernel, nativeKernel, noAddon } from "../support/fake-kernel.ts";

const importing = (query: string): string => `import blend from "./blend.op.ts?${query}";\n${blendCall}`;
const operator = "export default 1;";

for (const host of [...hosts, ...largeHosts]) {
  const missing = missingHost(host);
  describe.skipIf(missing !== null)(`${host}${missing ? ` (${missing})` : ""}`, () => apps(host));
}

function apps(host: HostName): void {
  it("binds a WASM kernel that runs where the output is moved to", async () => {
    const root = writeApp({ "src/main.js": importing("tune=wasm&sync=0"), "src/blend.op.ts": operator });
    const { compile, requests } = recordingCompiler(fakeKernel());
    await buildApp(host, root, compile);
    expect(requests).toMatchObject([{ opFile: `${root}/src/blend.op.ts`, target: "wasm", mode: "tune", threads: 1 }]);
    expect(outputFiles(root).filter((name) => name.endsWith(".wasm"))).toHaveLength(1);
    expect(runMoved(root)).toEqual(["wasm", ...expected("wasm")]);
  });

  it("puts a small module into the code, so that nothing has to be copied beside it", async () => {
    const root = writeApp({ "src/main.js": importing("tune=wasm"), "src/blend.op.ts": operator });
    await buildApp(host, root, recordingCompiler(fakeKernel()).compile);
    // In outputs that may be meant for pages there is a file for their workers, too.
    expect(outputFiles(root).filter((name) => !name.includes("kernel-worker"))).toEqual(["main.mjs"]);
    expect(runMoved(root)).toEqual(["wasm", ...expected("wasm")]);
  });

  it("puts the module into the code when asked to", async () => {
    const root = writeApp({ "src/main.js": importing("sync&tune=wasm"), "src/blend.op.ts": operator });
    await buildApp(host, root, recordingCompiler(fakeKernel()).compile);
    expect(outputFiles(root)).toEqual(["main.mjs"]);
    expect(runMoved(root)).toEqual(["wasm", ...expected("wasm")]);
  });

  it("leaves neither code nor asset of a kernel that nobody uses", async () => {
    const files = { "src/main.js": 'import blend from "./blend.op.ts?tune=wasm&sync=0";\nconsole.log("[]");' };
    const root = writeApp({ ...files, "src/blend.op.ts": operator });
    const { compile, requests } = recordingCompiler(fakeKernel());
    await buildApp(host, root, compile);
    // Rspack does not even load what has no effects and no user.
    expect(requests).toHaveLength(host === "rspack" || host === "rsbuild" ? 0 : 1);
    expect(outputFiles(root)).toEqual(["main.mjs"]);
    expect(readFileSync(`${root}/out/main.mjs`, "utf8")).not.toContain("createKernel");
  });

  it("makes one module of one kernel, however its query is spelt, and two of two; types for each spelling", async () => {
    const main = `
      import a from "./blend.op.ts?tune=wasm&M=2&threads=1";
      import b from "./blend.op.ts?M=2&tune=wasm";
      import c from "./blend.op.ts?M=3&tune=wasm";
      console.log(JSON.stringify([a === b, b === c]));`;
    const root = writeApp({ "src/main.js": main, "src/blend.op.ts": operator });
    const { compile, requests } = recordingCompiler(fakeKernel());
    await buildApp(host, root, compile, { dts: true });
    const types = readFileSync(`${root}/kernel-imports.d.ts`, "utf8");
    for (const query of ["tune=wasm&M=2&threads=1", "M=2&tune=wasm", "M=3&tune=wasm"])
      expect(types).toContain(`declare module "*/blend.op.ts?${query}" {`);
    expect(requests.map(({ parameters }) => parameters).sort((a, b) => Number(a.M) - Number(b.M))).toEqual([
      { M: 2 },
      { M: 3 },
    ]);
    expect(runMoved(root)).toEqual([true, false]);
  });

  it("follows a pattern of package.json for imports, which names the query", async () => {
    const root = writeApp({
      "package.json": JSON.stringify({ type: "module", imports: { "#op/*?tune=wasm": "./src/*" } }),
      "src/main.js": `import blend from "#op/blend.op.ts?tune=wasm";\n${blendCall}`,
      "src/blend.op.ts": operator,
    });
    const { compile, requests } = recordingCompiler(fakeKernel());
    await buildApp(host, root, compile);
    expect(requests).toMatchObject([{ opFile: `${root}/src/blend.op.ts`, target: "wasm" }]);
    expect(runMoved(root)).toEqual(["wasm", ...expected("wasm")]);
  });

  it("refuses to take the source of a script for a kernel", async () => {
    const main = 'import plain from "./plain.js?tune=wasm";\nconsole.log(plain);';
    const root = writeApp({ "src/main.js": main, "src/plain.js": "export default 1;" });
    const failed = expect(buildApp(host, root, recordingCompiler(fakeKernel()).compile)).rejects;
    await failed.toThrow(
      'request.not-included: "./plain.js?tune=wasm" asks for a kernel, and the file is no operator file',
    );
  });

  it.each(["a?b", "a#b"])(
    "builds in a folder called %s, or says that it cannot: the operator is never the kernel",
    async (folder) => {
      const isLikeWebpack = ["webpack", "rspack", "rsbuild"].includes(host);
      const files = { "src/main.js": importing("tune=wasm"), "src/blend.op.ts": operator };
      const inFolder = Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
      const root = join(writeApp(inFolder), folder);
      const refusal = await buildApp(host, root, recordingCompiler(fakeKernel()).compile).then(
        () => null,
        (error: unknown) => `${error}`,
      );
      if (refusal === null) expect(runMoved(root)).toEqual(["wasm", ...expected("wasm")]);
      else expect(refusal).toContain(folder);
      if (folder === "a#b" && isLikeWebpack) expect(refusal).toContain("request.bad-path: ");
    },
  );

  it("passes a user's mistake on, word for word", async () => {
    const root = writeApp({ "src/main.js": importing("tune=wsam"), "src/blend.op.ts": operator });
    const message = `request.bad-value: tune is "wsam" in "./blend.op.ts?tune=wsam"
  hint: tune may be ${requestTargets.join(", ")}`;
    const said = await buildApp(host, root, recordingCompiler(fakeKernel()).compile).catch(
      (error) => `${error.message}`,
    );
    expect(said).toContain(message);
    if (host === "vite" || host === "rolldown") expect(said).toContain(`[plugin unplugin-kernel] ${root}/src/main.js`);
    // Once; Farm prints message and stack.
    expect(said?.split("request.bad-value")).toHaveLength(host === "farm" ? 3 : 2);
  });

  it.skipIf(noAddon)(`binds an addon${noAddon ? ` (${noAddon})` : ""}`, async () => {
    const root = writeApp({ "src/main.js": importing("tune=avx2"), "src/blend.op.ts": operator });
    const kernel = fakeKernel({ target: "avx2", native: nativeKernel() });
    await buildApp(host, root, recordingCompiler(kernel).compile);
    expect(runMoved(root)).toEqual(["native", ...expected("native")]);
    await buildApp(host, root, recordingCompiler(kernel).compile);
    expect(runMoved(root, "main.mjs", ["--no-addons"])).toEqual(["wasm", ...expected("wasm")]);
  });
}
