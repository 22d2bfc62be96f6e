// Projects as their starters make them, wired by `init` as the README says, from the package as npm would get it: installed, tuned, built, and
// run in Chromium or Node.
//
//     npm run test:starters             all; needs npm's registry and some minutes
//     npm run test:starters -- rollup   some of them

import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser, noBrowser, serveFolder } from "../support/browser.ts";

const seconds = 5;
/** The user's own lines: 1 · 1, 512 times. */
const use = (say: string): string => `
import gemm from "#op/gemm.op.ts?tune=wasm";
const ones = new Float32Array(512 * 512).fill(1);
const product = gemm(ones, ones);
${say}(\`C[0] = \${product[0]}, \${gemm.info.twin}, \${gemm.info.gflops === null ? "predicted" : "tuned"}\`);
`;
const right = /^C\[0\] = 512, wasm(-relaxed)?, tuned$/;

interface Starter {
  readonly name: string;
  /** What its maker types, in an empty folder: the project lands in app/. */
  create(folder: string): void;
  readonly entry: string;
  readonly runs: "in a page" | "in Node";
}

/** Without the variables that npm gives its scripts: `npm create` takes them for its own settings. CI is not where one begins. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== "CI" && !name.startsWith("npm_")),
);

function run(folder: string, command: string): string {
  const { status, stdout, stderr } = spawnSync(command, {
    cwd: folder,
    encoding: "utf8",
    shell: true,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) throw new Error(`${command}: exit code ${status}\n${stdout}${stderr}`);
  return stdout + stderr;
}

const createVite =
  (template: string) =>
  (folder: string): void =>
    void run(folder, `npm create -y vite@9.3.0 app -- --template ${template} --no-interactive`);

/** Rollup has no starter: this is the project of its tutorial. */
function createRollup(folder: string): void {
  const app = join(folder, "app");
  mkdirSync(join(app, "src"), { recursive: true });
  run(app, "npm init -y && npm pkg set type=module scripts.build='rollup --config'");
  run(app, "npm install --no-audit --no-fund --save-dev rollup");
  writeFileSync(join(app, "src/main.js"), "export {};\n");
  const config = `// rollup.config.mjs\nexport default {\n\tinput: 'src/main.js',\n\toutput: {\n\t\tdir: 'dist',\n\t\tformat: 'es'\n\t}\n};\n`;
  writeFileSync(join(app, "rollup.config.mjs"), config);
}

const starters: readonly Starter[] = [
  { name: "vite-vanilla-ts", create: createVite("vanilla-ts"), entry: "src/main.ts", runs: "in a page" },
  { name: "vite-react-ts", create: createVite("react-ts"), entry: "src/main.tsx", runs: "in a page" },
  {
    name: "webpack",
    create: (folder) => void run(folder, "npx -y create-webpack-app@2.1.0 init app --force"),
    entry: "src/index.js",
    runs: "in a page",
  },
  { name: "rollup", create: createRollup, entry: "src/main.js", runs: "in Node" },
];

/** What the page has as its title when its kernel has been called. */
async function titleOf(folder: string): Promise<string> {
  const server = await serveFolder(folder);
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => document.title.startsWith("C[0]"), { timeout: 10_000 });
    return await page.title();
  } finally {
    await browser.close();
    await server.close();
  }
}

function expectMatch(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Error(`${JSON.stringify(text)} is not ${pattern}`);
}

/** Seconds of each step. */
async function tryOut({ create, entry, runs }: Starter, tarball: string, folder: string) {
  const app = join(folder, "app");
  const times: Record<string, string> = {};
  const step = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    times[name] = ((performance.now() - start) / 1000).toFixed(1);
    return result;
  };
  const isPage = runs === "in a page";
  await step("create", () => create(folder));
  await step("install", () => run(app, `npm install --no-audit --no-fund --save-dev ${tarball}`));
  await step("init", () => run(app, "npx unplugin-kernel init"));
  expectMatch(run(app, "npx unplugin-kernel init"), /^nothing to do/);
  appendFileSync(join(app, entry), use(isPage ? "document.title = String" : "console.log"));
  await step("tune", () => run(app, `npm run tune -- --seconds ${seconds}`));
  const built = await step("build", () => run(app, "npm run build"));
  expectMatch(built, /1 kernel from kernels\.lock\.json, 0 measured/);
  const said = await step("run", () =>
    isPage ? (noBrowser ?? titleOf(join(app, "dist"))) : run(app, "node dist/main.js").trim(),
  );
  if (said !== noBrowser) expectMatch(said, right);
  return { ...times, said };
}

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "starters-"));
const repository = process.cwd();
const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
run(repository, `npm pack --pack-destination ${folder}`);
const tarball = join(folder, `unplugin-kernel-${version}.tgz`);
const rows: Record<string, object> = {};
for (const starter of starters.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const own = join(folder, starter.name);
  mkdirSync(own);
  try {
    rows[starter.name] = await tryOut(starter, tarball, own);
  } catch (error) {
    rows[starter.name] = { said: "failed" };
    console.error(`${starter.name}: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
rmSync(folder, { recursive: true, force: true });
console.table(rows);
