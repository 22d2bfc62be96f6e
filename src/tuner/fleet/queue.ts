// What the protocol of a fleet needs of a queue. Redis with BullMQ provides it, and Slurm; a queue in memory is the tests' oracle.

export type JobState =
  /** The queue does not have it: it was never submitted, or the queue lost it. */
  | { readonly kind: "unknown" }
  | { readonly kind: "waiting" }
  | { readonly kind: "active" }
  /** `text`: the sealed end of the job. */
  | { readonly kind: "done"; readonly text: unknown }
  /** `lost`: workers died with it more often than they may; otherwise a worker refused it, and says why. */
  | { readonly kind: "failed"; readonly reason: string; readonly lost: boolean };

/** Texts that workers and coordinators share. */
export interface FleetStore {
  /** Keeps a text under a name unless there is one. Returns whether this one is kept. */
  createOnce(name: string, text: string): Promise<boolean>;
  /** Returns the texts of names, in their order; null where there is none. */
  read(names: readonly string[]): Promise<readonly (string | null)[]>;
  /** Adds a sealed mark to those of a job. */
  mark(job: string, text: string): Promise<void>;
  marks(job: string): Promise<readonly string[]>;
}

/** The coordinator's side. Each call rejects with a `QueueLost` where the queue stays out of reach. */
export interface FleetQueue extends FleetStore {
  /** Registrations of the workers that are alive, as sealed texts. */
  workers(): Promise<readonly string[]>;
  /** Puts a job into a queue; one with this id that is there already stays as it is. */
  submit(queue: string, id: string, text: string): Promise<void>;
  state(queue: string, id: string): Promise<JobState>;
  /** Takes a job back that no worker has taken. A job that has ended is forgotten. */
  withdraw(queue: string, id: string): Promise<void>;
  /** Resolves when something may have changed, or after these milliseconds. */
  changed(queue: string, ms: number): Promise<void>;
  close(): Promise<void>;
}

/** Thrown where a queue is gone: its caller measures elsewhere. */
export class QueueLost extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "QueueLost";
  }
}
