// The page's side of the worker: one program at a time; a worker that does not answer is replaced.

import type { Program, Reply, Request } from "./protocol.ts";

/** Milliseconds that a program may take: one with an endless loop would keep the worker for ever. */
const longestMs = 60_000;

export interface Session {
  /** Replies come until "done"; those of programs before are not told any more. */
  send(program: Program, run: boolean): void;
  close(): void;
}

export function openSession(newWorker: () => Worker, onReply: (reply: Reply) => void): Session {
  let id = 0;
  let worker: Worker | null = null;
  let busy = false;
  let deadline: ReturnType<typeof setTimeout> | undefined;

  function stop(): void {
    worker?.terminate();
    worker = null;
    busy = false;
    clearTimeout(deadline);
  }

  function start(): Worker {
    const started = newWorker();
    started.onmessage = ({ data }: MessageEvent<Reply>) => {
      if (data.id !== id) return;
      if (data.kind === "done") {
        busy = false;
        clearTimeout(deadline);
      }
      onReply(data);
    };
    started.onerror = ({ message }) => giveUp(message ?? "the worker could not be started");
    return started;
  }

  function giveUp(message: string): void {
    stop();
    const problem = { code: "playground.failed", message, hint: null, line: null, column: null, detail: null };
    onReply({ id, kind: "problem", problem });
    onReply({ id, kind: "done", milliseconds: longestMs });
  }

  return {
    send(program, run) {
      // A newer question cancels the one that is being answered.
      if (busy) stop();
      id += 1;
      busy = true;
      worker ??= start();
      deadline = setTimeout(() => giveUp(`nothing after ${longestMs / 1000} s: is there an endless loop?`), longestMs);
      worker.postMessage({ id, program, run } satisfies Request);
    },
    close: stop,
  };
}
