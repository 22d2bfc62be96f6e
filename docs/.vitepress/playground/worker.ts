// The playground's worker: compiles and runs programs away from the page, so that the page answers even while a program hangs.

import { nativeStage, problemOf, readProgram, type Scheduled, scheduleFor, wasmStages } from "./compile.ts";
import type { Program, Reply, Request } from "./protocol.ts";
import { runKernel } from "./run-kernel.ts";

const addressOf = (text: string): string => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));

async function answer({ id, program, run }: Request): Promise<void> {
  const start = performance.now();
  try {
    await compile(id, program, run);
  } catch (error) {
    reply({ id, kind: "problem", problem: problemOf(error) });
  }
  reply({ id, kind: "done", milliseconds: performance.now() - start });
}

async function compile(id: number, program: Program, run: boolean): Promise<void> {
  const op = await readProgram(program, addressOf);
  const scheduled: Scheduled = scheduleFor(op, "wasm", program.numerics);
  reply({ id, kind: "stages", stages: wasmStages(scheduled) });
  if (run) reply({ id, kind: "run", result: runKernel(scheduled, () => performance.now()) });
  reply({ id, kind: "stages", stages: [nativeStage(scheduleFor(op, program.native, program.numerics))] });
}

const reply = (message: Reply): void => postMessage(message);

// One after the other, in the order in which they were asked.
let last: Promise<void> = Promise.resolve();
addEventListener("message", ({ data }: MessageEvent<Request>) => {
  last = last.then(() => answer(data));
});
