// A worker that a thread asks and waits for, as `require` has to: the question is a string, the answer is data.

import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker, workerData } from "node:worker_threads";

interface Line {
  readonly port: MessagePort;
  /** 1 as soon as an answer is there. */
  readonly isAnswered: Int32Array;
}

/** Starts a worker, which calls `answerQuestions`. The thread that asks stands still meanwhile. */
export function startWaitingWorker<Answer>(script: URL): (question: string) => Answer {
  const { port1: mine, port2: port } = new MessageChannel();
  const isAnswered = new Int32Array(new SharedArrayBuffer(4));
  const data: Line = { port, isAnswered };
  // Without the program's own options: what they load may ask this worker, which would wait for itself.
  new Worker(script, { workerData: data, transferList: [port], execArgv: [] }).unref();
  return (question) => {
    Atomics.store(isAnswered, 0, 0);
    mine.postMessage(question);
    Atomics.wait(isAnswered, 0, 0);
    return receiveMessageOnPort(mine)!.message as Answer;
  };
}

/** @param answer must not fail, as no caller would learn of it */
export function answerQuestions<Answer>(answer: (question: string) => Promise<Answer>): void {
  const { port, isAnswered } = workerData as Line;
  port.on("message", async (question: string) => {
    port.postMessage(await answer(question));
    Atomics.store(isAnswered, 0, 1);
    Atomics.notify(isAnswered, 0);
  });
}
