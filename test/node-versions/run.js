// The suite on other versions of Node, which npm has (some 45 MB each, kept in out/). Each part that ends leaves a line in runs.jsonl;
// what passed on this commit is not run again, so an interrupted run goes on where it stopped. A run of everything begins with the
// candidates that each strategy proposes: they have to be those of the Node that runs this. Where the registry cannot be reached it says so
// and skips; in CI it fails.
//
//     npm run test:node-versions                                     everything on each version
//     npm run test:node-versions -- --node 26 test/plugin            some files on one version: 26 is its newest here
//     npm run test:node-versions -- --node 22,24 --subset engine     what versions can change
//     npm run test:node-versions -- --fresh                          again, even if it is recorded
//
// CI runs the whole suite on the oldest version and the subset "engine" on the newest: see engineFiles in parts.js. It records nothing.

import { spawn, spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isCI } from "../skips/environment.js";
import { testedCommit } from "../support/record-run.js";
import { candidateSequences } from "./candidates.js";
import { install } from "./install.js";
import { engineFiles, partsOf } from "./parts.js";
import { isFinished, record } from "./record.js";

/** The oldest that package.json names, and the newest of those after it. */
const versions = ["20.19.0", "22.23.3", "24.21.0", "26.10.0"];
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

const options = {
  node: { type: "string", default: versions.join(",") },
  subset: { type: "string" },
  fresh: { type: "boolean", default: false },
};
const { values, positionals } = parseArgs({ options, allowPositionals: true });

function usageError(message) {
  console.error(message);
  process.exit(2);
}

/** "26" → "26.10.0"; a whole version is itself. */
function versionNamed(given) {
  const version = versions.find((known) => known === given || known.split(".")[0] === given);
  return (
    version ??
    (/^\d+\.\d+\.\d+$/.test(given) ? given : usageError(`--node is ${given}: wanted are ${versions.join(", ")}`))
  );
}

if (values.subset !== undefined && values.subset !== "engine")
  usageError(`--subset is ${values.subset}: there is engine`);
const wanted = values.subset ? engineFiles : positionals;
const isOffline = (reason) => /ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|ERR_SOCKET/.test(reason);

/** Runs the files under a Node that child processes find too; resolves with run.js's own count. */
function runFiles(executable, files) {
  const env = { ...process.env, PATH: `${dirname(executable)}:${process.env.PATH}` };
  const child = spawn(executable, [join(root, "test/run.js"), ...files], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk) => {
    process.stdout.write(chunk);
    text = `${text}${chunk}`.slice(-1000);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      const count = /tests: (\d+) passed, (\d+) failed, (\d+) skipped\s*$/.exec(text);
      if (!count) return reject(new Error(`Node ${executable} ended with ${status} and no count`));
      const [passed, failed, skipped] = count.slice(1).map(Number);
      resolve({ passed, failed: status === 0 ? failed : Math.max(failed, 1), skipped });
    });
  });
}

let sequences = null;

/** Counts the sequences that both versions have, and those that they have not. */
async function compareCandidates(executable) {
  sequences ??= await candidateSequences(root);
  const other = sequences.otherOn(executable);
  for (const line of other) console.log(`  another sequence of candidates: ${line}`);
  return { passed: sequences.count - other.length, failed: other.length, skipped: 0 };
}

const allParts = partsOf(root, []);

/** Says whether a part is a whole folder. */
const isWhole = (name, files) => (allParts.find((part) => part.name === name)?.files.length ?? 0) === files.length;

/** The names of the parts that failed. */
async function runVersion(version) {
  const { path, reason } = install(version, join(root, `out/node-${version}`));
  if (!path) {
    const maySkip = isOffline(reason) && !isCI;
    console.log(`Node ${version}: ${maySkip ? "skipped" : "failed"}: ${reason}`);
    return maySkip ? [] : ["install"];
  }
  const commit = testedCommit();
  const failures = [];
  const parts = partsOf(root, wanted);
  // Nothing is resumed in CI: one run of all files keeps every core busy to the end.
  const whole = [{ name: values.subset ?? "all", files: parts.flatMap(({ files }) => files) }];
  const tests = (isCI ? whole : parts).map(({ name, files }) => ({ name, files, run: () => runFiles(path, files) }));
  const candidates = { name: "candidates", files: [], run: () => compareCandidates(path) };
  for (const { name: part, files, run } of wanted.length === 0 ? [candidates, ...tests] : tests) {
    const of = { commit, node: version, part, files: isWhole(part, files) ? "all" : files };
    if (!values.fresh && !isCI && isFinished(of)) {
      console.log(`Node ${version}, ${part}: passed on ${commit} before`);
      continue;
    }
    console.log(`Node ${version}, ${part}: ${files.length} files`);
    const count = await run();
    if (!isCI) record({ date: new Date().toISOString(), ...of, ...count });
    if (count.failed > 0) failures.push(part);
  }
  return failures;
}

if (partsOf(root, wanted).length === 0) usageError(`no test files are called ${wanted.join(", ")}`);
// CI has built it for the suite.
if (!isCI && spawnSync(process.execPath, ["build.js"], { cwd: root, stdio: "inherit" }).status !== 0) process.exit(1);
const failed = [];
for (const version of values.node.split(",").map(versionNamed))
  for (const part of await runVersion(version)) failed.push(`Node ${version}, ${part}`);
console.log(failed.length === 0 ? "\nno part failed" : `\nfailed:\n  ${failed.join("\n  ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
