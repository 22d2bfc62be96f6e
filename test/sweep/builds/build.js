// One build of a drawn case, in a process of its own: node build.js '{ host, root, out, options }'. It prints the plugin's log, and last a
// line of JSON: errors, exceptions that nobody caught, and the addresses that it connected to.

import { Socket } from "node:net";
import { join } from "node:path";

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

const builds = {
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
