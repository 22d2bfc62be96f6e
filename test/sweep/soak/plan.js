// Plan of a life, drawn by its seed: what its main thread and its workers do, and how each of them ends.

import { drawer, pick } from "./draw.js";

/** Exit code of a thread that ends in the middle of its calls, and message of an error that nothing catches. */
export const exitCode = 7;
export const thrown = "thrown in the middle, as drawn";

/** Ways of a thread to end. `terminate` is for workers. */
const endings = ["natural", "natural", "exit", "throw"];
const workerEndings = ["natural", "terminate", "terminate", "exit", "throw"];

/** Flags of the process: some have little room for what is young, or old. */
const rooms = [[], [], ["--max-semi-space-size=1"], ["--max-old-space-size=64"]];

function threadOf(draw, endings) {
  return { ending: pick(draw, endings), endMs: 20 + draw(600), callers: 1 + draw(3), rounds: 2 + draw(5) };
}

/** Returns the plan of a seed. */
export function planOf(seed) {
  const draw = drawer(seed);
  const main = { ...threadOf(draw, endings), callers: draw(3) };
  const workers = Array.from({ length: draw(4) }, () => threadOf(draw, workerEndings));
  return { main, workers, flags: pick(draw, rooms) };
}

/** Exit code of the process with this plan. */
export const exitCodeOf = ({ main }) => ({ natural: 0, exit: exitCode, throw: 1 })[main.ending];

/** Ends this thread in the middle of its calls, if that was drawn. */
export function endAsDrawn({ ending, endMs }) {
  const fail = () => {
    throw new Error(thrown);
  };
  if (ending === "exit") setTimeout(() => process.exit(exitCode), endMs);
  if (ending === "throw") setTimeout(fail, endMs);
}
