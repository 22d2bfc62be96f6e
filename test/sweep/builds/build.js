// One build of a drawn case, in a process of its own: node build.js '{ host, root, out, options }'. It prints the plugin's log, and last a
// line of JSON: errors, exceptions that nobody caught, and the addresses that it connected to.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const { host, root, out, options } = JSON.parse(process.argv[2]);
const report = { errors: [], uncaught: [], connections: [] };

const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  const [{ port, host: name } = {}] = Array.isArray(args[0]) ? args[0] : args;
  if (port !== undefined) report.connections.push(`${name}:${port}`);
  return connect.apply(this, args);
};
for (const event of ["uncaughtException", "unhandledRejection"])
  process.on(event, (error) => report.uncaught.push(`${event}: ${error?.stack ?? error}`));

const entry = join(root, "src/main.js");
const outDir = join(root, out);

/** The operator of a file, for the program interface: a program beside the package would import the same modules. */
async function loadOperator(file) {
  const text = await readFile(file, "utf8");
  const copy = join(outDir, "operator.mjs");
  await mkdir(outDir, { recursive: true });
  await writeFile(copy, text.replace("unplugin-kernel/ops", import.meta.resolve("unplugin-kernel/ops")));
  return (await import(pathToFileURL(copy).href)).default;
}

/** A program that loads an artifact from beside it and calls it. */
function programOf(artifact, text) {
  const plain = (_, value) => (value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value);
  const named = artifact.path ? { ...artifact, path: basename(artifact.path) } : artifact;
  return `import { join } from "node:path";
import { load } from ${JSON.stringify(import.meta.resolve("unplugin-kernel/api"))};
const bytes = (_, value) => (value?.base64 ? new Uint8Array(Buffer.from(value.base64, "base64")) : value);
const artifact = JSON.parse(${JSON.stringify(JSON.stringify(named, plain))}, bytes);
if (artifact.path) artifact.path = join(import.meta.dirname, artifact.path);
const kernel = await load(artifact);
${text.replace(/^import kernel .*$/m, "")}`;
}

const builds = {
  async api() {
    const { build, predictSchedule, tune } = await import("unplugin-kernel/api");
    const [op, text] = await Promise.all([loadOperator(join(root, "src/tiny.op.ts")), readFile(entry, "utf8")]);
    const { budget, mode } = options;
    const target = /\?tune=([\w-]+)/.exec(text)[1];
    const records = join(root, "records.jsonl");
    const found = mode === "predict" ? predictSchedule(op, { target }) : await tune(op, { target, budget, records });
    const artifact = await build(op, found.schedule ?? found, { target, outDir });
    await writeFile(join(outDir, "main.mjs"), programOf(artifact, text));
  },
  async esbuild() {
    const { build } = await import("esbuild");
    const { default: kernel } = await import("unplugin-kernel/esbuild");
    await build({
      entryPoints: [entry],
      bundle: true,
      platform: "node",
      format: "esm",
      outdir: outDir,
      outExtension: { ".js": ".mjs" },
      logLevel: "warning",
      plugins: [kernel(options)],
    });
  },
  async rollup() {
    const { rollup } = await import("rollup");
    const { default: kernel } = await import("unplugin-kernel/rollup");
    const onLog = (_, { message }) => console.error(message);
    const bundle = await rollup({ input: entry, plugins: [kernel(options)], onLog });
    await bundle.write({ dir: outDir, entryFileNames: "[name].mjs" });
    await bundle.close();
  },
  async vite() {
    const { build } = await import("vite");
    const { default: kernel } = await import("unplugin-kernel/vite");
    await build({
      root,
      configFile: false,
      logLevel: "info",
      plugins: [kernel(options)],
      build: { ssr: entry, outDir: out, rollupOptions: { output: { entryFileNames: "[name].mjs" } } },
    });
  },
};

try {
  await builds[host]();
} catch (error) {
  const parts = error?.errors?.length > 0 ? error.errors.map(({ text, message }) => text ?? message) : [error?.message];
  report.errors.push(...parts.map(String));
  report.stack = String(error?.stack);
}
process.on("exit", () => console.log(`REPORT ${JSON.stringify(report)}`));
