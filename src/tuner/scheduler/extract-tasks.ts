// The kernels that a bundle or a program asks for → the tasks that are to be tuned: equal ones once, with the weight of
// all that share it.

import type { TuningTask } from "../data/task.ts";
import { taskIdentity } from "../data/task-key.ts";

export interface TaskRequest {
  readonly task: TuningTask;
  /** Factor by which the kernel's time counts; default: 1. */
  readonly weight?: number | undefined;
  /** Tells apart equal tasks that are searched otherwise. */
  readonly variant?: string | undefined;
}

export interface ExtractedTask {
  readonly task: TuningTask;
  /** Sum of the weights of its requests. */
  readonly weight: number;
  /** Indices of the requests that it answers, in their order. */
  readonly requests: readonly number[];
}

/** Returns the tasks, in the order in which each is first asked for. */
export function extractTasks(requests: readonly TaskRequest[]): readonly ExtractedTask[] {
  const tasks = new Map<string, ExtractedTask>();
  for (const [at, { task, weight = 1, variant = "" }] of requests.entries()) {
    const identity = `${taskIdentity(task)} ${variant}`;
    const known = tasks.get(identity) ?? { task, weight: 0, requests: [] };
    tasks.set(identity, { ...known, weight: known.weight + weight, requests: [...known.requests, at] });
  }
  return [...tasks.values()];
}
