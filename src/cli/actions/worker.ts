// `worker`: this machine measures for others. It registers its class with a Redis and takes jobs, or runs one job of a file.

import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { refuse, type TargetName, targetNames } from "../../compiler/index.ts";
import { afterMs } from "../../native/machine/clock.ts";
import { detectMachine } from "../../native/machine/machine.ts";
import { exitSoon } from "../../native/process/exit-soon.ts";
import { detectToolchains } from "../../native/toolchain/detect.ts";
import { fleetKey } from "../../plugin/options/options.ts";
import type { JobFile } from "../../tuner/fleet/job-file.ts";
import { QueueLost } from "../../tuner/fleet/queue.ts";
import { seal } from "../../tuner/fleet/seal.ts";
import { classHash, classOf, type Registration } from "../../tuner/fleet/worker-class.ts";
import { badArgument, type Flags } from "../flags/flags.ts";
import { exitCodes, type Outcome, type Run } from "../project/command.ts";
import { redisUrl } from "../project/fleet.ts";
import type { Project } from "../project/project.ts";

/** @throws DiagnosticError `command.bad-argument` */
function targetsIn(list: unknown): readonly TargetName[] {
  return String(list)
    .split(",")
    .map((given) => {
      const name = targetNames.find((known) => known === given);
      if (!name) throw badArgument(`--targets has "${given}"`, `some of ${targetNames.join(",")}`);
      return name;
    });
}

/** @throws DiagnosticError `command.bad-argument` */
function labelOf(flag: unknown): string {
  const label = flag === undefined ? "" : String(flag);
  if (/^[\w.-]{0,40}$/.test(label)) return label;
  throw badArgument(`--label is "${label}"`, "at most 40 letters, digits and . - _");
}

async function registrationOf({ options }: Project, { targets, label }: Flags): Promise<Registration> {
  const machine = detectMachine();
  const [toolchain] = await detectToolchains({ project: options.root });
  const of = classOf(machine, toolchain?.identity ?? null, {
    label: labelOf(label),
    ...(targets !== undefined && { targets: targetsIn(targets) }),
  });
  if (!of) throw badArgument(`--targets is "${targets}"`, "a target that this machine runs and has a compiler for");
  const name = hostname()
    .replace(/[^\w.-]/g, "")
    .slice(0, 30);
  return { kind: "worker", id: `${name}-${process.pid}-${randomUUID().slice(0, 8)}`, cores: machine.cores, of };
}

async function opener({ options }: Project, { of, cores }: Registration) {
  const { jobOpener } = await import("../../plugin/fleet/open-job.ts");
  return jobOpener({ options, of, cores });
}

/** Milliseconds that a worker which has ended may take to print so. */
const lingerMs = 500;

async function serve(project: Project, registration: Registration, url: string): Promise<Outcome> {
  const [{ runWorker }, { connectCoordinator }] = await Promise.all([
    import("../../plugin/fleet/run-worker.ts"),
    import("../../plugin/fleet/redis-connection.ts"),
  ]);
  await connectCoordinator(url).then(
    (client) => client.disconnect(),
    (error: unknown) => {
      if (!(error instanceof QueueLost)) throw error;
      const message = `Redis cannot be reached: ${error.message}`;
      const hint = "start it, or name another with --redis";
      throw refuse("fleet.unreachable", message, hint);
    },
  );
  const { id, cores, of } = registration;
  const log = project.session.log();
  const targets = of.targets.join(", ");
  log.info(`worker ${id} measures ${targets} as class ${classHash(of)}${of.label ? ` (${of.label})` : ""}`);
  const closing = new AbortController();
  let jobs = 0;
  // A signal is how a worker ends. A second one is not caught.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => closing.abort());
  const running = runWorker({
    url,
    key: fleetKey(),
    id,
    cores,
    of,
    open: await opener(project, registration),
    signal: closing.signal,
    onJob(line) {
      jobs += 1;
      log.info(line);
    },
    onLate: (line) => log.warn(line),
  });
  await running;
  // A queue without its server leaves timers and connections behind.
  exitSoon(lingerMs);
  return {
    exitCode: exitCodes.done,
    json: { worker: id, jobs },
    text: `${jobs} ${jobs === 1 ? "job was" : "jobs were"} taken`,
  };
}

/** Runs the job of a file, for queues that start a process for each job. */
async function runFile(project: Project, registration: Registration, job: string, out: string): Promise<Outcome> {
  const [{ runJob }, { memoryStore }, { jobId, decodeJob }, { unseal }] = await Promise.all([
    import("../../tuner/fleet/run-job.ts"),
    import("../../tuner/fleet/memory-store.ts"),
    import("../../tuner/fleet/job.ts"),
    import("../../tuner/fleet/seal.ts"),
  ]);
  const key = fleetKey();
  const text = await readFile(job, "utf8");
  const opened = unseal("job", text, decodeJob, key);
  const id = opened.kind === "ok" ? jobId(opened.body) : "";
  const store = memoryStore();
  const { of } = registration;
  const closing = new AbortController().signal;
  const place = {
    store,
    key,
    class: classHash(of),
    worker: registration.id,
    closing,
    after: afterMs,
    renew: async () => {},
  };
  const outcome = await runJob(text, id, 1, { ...place, open: await opener(project, registration) });
  const isEnded = outcome.kind === "ended";
  const file: JobFile = {
    end: isEnded ? outcome.text : null,
    refused: isEnded ? null : outcome.reason,
    results: Object.fromEntries(store.texts),
  };
  await writeFile(out, JSON.stringify(file));
  const said = isEnded ? `${store.texts.size} results are in ${out}` : `the job is refused: ${outcome.reason}`;
  return { exitCode: isEnded ? exitCodes.done : exitCodes.wrong, json: { results: store.texts.size }, text: said };
}

export const run: Run = async (project, _, flags) => {
  const { redis, job, out, describe } = flags;
  if ((job === undefined) !== (out === undefined))
    throw badArgument(`--${job === undefined ? "out" : "job"} is given alone`, "--job <file> and --out <file>");
  const ways = Object.entries({ redis, job, describe }).filter(([, value]) => value !== undefined);
  if (ways.length > 1)
    throw badArgument(`${ways.map(([name]) => `--${name}`).join(" and ")} are given at once`, "one of them");
  const url = redis === undefined ? null : redisUrl(redis);
  const registration = await registrationOf(project, flags);
  if (describe !== undefined) {
    await writeFile(String(describe), seal("worker", registration, fleetKey()));
    return { exitCode: exitCodes.done, json: registration, text: `the class is in ${describe}` };
  }
  if (job !== undefined && out !== undefined) return runFile(project, registration, String(job), String(out));
  if (url === null) throw badArgument("the worker has no --redis", "a URL such as redis://127.0.0.1:6379");
  return serve(project, registration, url);
};
