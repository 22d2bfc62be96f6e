// Lives of processes, one after the other, by their seeds. A life is right if it ended as drawn, in time and without a wrong result, and
// if one that ended by itself holds no memory of calls that are over.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { exitCodeOf, planOf, thrown } from "./plan.js";

const script = join(import.meta.dirname, "life.js");

/** Longest time of a life in milliseconds: one takes some seconds. */
const hangsMs = 120_000;

/** Half of a matrix, which a single call that is over and kept its arrays would hold. Without one, half a megabyte of code and shapes is left. */
const mostGrownBytes = 2 * 1024 ** 2;

/** Lives that a run has to have before each call, disturbance and end must have been among them. */
const enough = 40;
const kinds = { call: 6, disturbance: 9, memory: 5, end: 3, "end of a worker": 4 };

/** Lives one process. Returns what it found, or why it is wrong. */
function live(node, module, seed) {
  const plan = planOf(seed);
  const args = ["--expose-gc", ...plan.flags, script, module, String(seed)];
  const { status, signal, stdout, stderr } = spawnSync(node, args, { encoding: "utf8", timeout: hangsMs });
  const why = (problem) => ({ problem: `${problem}\n${stderr.slice(-2000)}` });
  if (signal !== null) return why(`ended by ${signal}, or did not end`);
  if (status !== exitCodeOf(plan)) return why(`exit code ${status} in place of ${exitCodeOf(plan)}`);
  if (status === 1 && !stderr.includes(thrown)) return why("ended by an error that was not drawn");
  const found = JSON.parse(stdout.trim().split("\n").at(-1));
  if (found.wrong.length > 0) return why(found.wrong.slice(0, 5).join("; "));
  return found.grownBytes > mostGrownBytes ? why(`holds ${found.grownBytes} bytes of calls that are over`) : found;
}

/**
 * Lives for some minutes, or a number of lives, on a version of Node.
 *
 * @returns whether all were right, and a line of what was found
 */
export function livesOn(node, module, { minutes, seed: first, lives }) {
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  const end = Date.now() + minutes * 60_000;
  const drawn = {};
  const problems = [];
  let [lived, calls, refused, most] = [0, 0, 0, 0];
  for (let seed = first; lived < lives && Date.now() < end; seed++, lived++) {
    const found = live(node, module, seed);
    if (found.problem) {
      problems.push(seed);
      console.log(`Node ${version}, --seed ${seed} --lives 1: ${found.problem}`);
      continue;
    }
    calls += found.calls;
    refused += found.refused;
    most = Math.max(most, found.grownBytes ?? 0);
    for (const [name, count] of Object.entries(found.drawn)) drawn[name] = (drawn[name] ?? 0) + count;
  }
  const counts = Object.entries(drawn).map(([name, count]) => `${count} × ${name}`);
  console.log(`Node ${version}: ${counts.sort().join(", ")}`);
  const drawnOf = (kind) => Object.keys(drawn).filter((name) => name.startsWith(`${kind}: `)).length;
  const missing = Object.keys(kinds).filter((kind) => lived >= enough && drawnOf(kind) < kinds[kind]);
  const lines = [
    `Node ${version}: ${lived} lives from seed ${first}, ${calls} disturbed calls, ${problems.length} lives wrong, ${refused} calls refused by name`,
    `at most ${(most / 1024).toFixed(0)} kB held of calls that are over`,
    ...missing.map((kind) => `not every ${kind} was drawn`),
  ];
  const found = lines.join(", ");
  console.log(found);
  return { isRight: lived > 0 && problems.length === 0 && missing.length === 0, found };
}
