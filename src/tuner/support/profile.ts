// Time of a tuning by its parts, in wall-clock milliseconds: each moment counts once. Work inside other work counts for
// the inner part only, so the parts add up to the whole.

export const tuningParts = [
  /** Generating the space and compiling its models. */
  "space",
  /** Drawing from the constraints. */
  "sampling",
  /** Work of strategies, without drawing and asking the model. */
  "search",
  /** The prior, the features, the model's answers. */
  "prediction",
  "training",
  /** Generating code of decisions. */
  "lowering",
  /** The C compiler. */
  "build",
  /** Loading, checking, timing; the races too. */
  "run",
] as const;
export type TuningPart = (typeof tuningParts)[number];

/** Milliseconds by part. */
export type Profile = Readonly<Record<TuningPart, number>>;

export interface Profiler {
  time<T>(part: TuningPart, work: () => T): T;
  /**
   * Times asynchronous work, one at a time. Work that runs on this thread meanwhile and is timed itself counts as its own
   * part.
   */
  timeAsync<T>(part: TuningPart, work: () => Promise<T>): Promise<T>;
  profile(): Profile;
}

/** @param clock milliseconds, monotonic */
export function createProfiler(clock: () => number): Profiler {
  const spent = new Map<TuningPart, number>(tuningParts.map((part) => [part, 0]));
  const open: TuningPart[] = [];
  let since = clock();

  /** Adds the time since the last change to the part that is open. */
  function settle(): void {
    const now = clock();
    const part = open.at(-1);
    if (part) spent.set(part, spent.get(part)! + now - since);
    since = now;
  }
  function enter(part: TuningPart): void {
    settle();
    open.push(part);
  }
  function leave(): void {
    settle();
    open.pop();
  }

  return {
    time(part, work) {
      enter(part);
      try {
        return work();
      } finally {
        leave();
      }
    },
    async timeAsync(part, work) {
      enter(part);
      try {
        return await work();
      } finally {
        leave();
      }
    },
    profile: () => Object.fromEntries(spent) as Profile,
  };
}

/** Times nothing. */
export const noProfiler: Profiler = {
  time: (_, work) => work(),
  timeAsync: (_, work) => work(),
  profile: () => noTime,
};

const noTime = Object.fromEntries(tuningParts.map((part) => [part, 0])) as Profile;

/** Shares of the whole, 0 … 1; all 0 where nothing was timed. */
export function sharesOf(profile: Profile): Profile {
  const total = tuningParts.reduce((sum, part) => sum + profile[part], 0);
  return Object.fromEntries(tuningParts.map((part) => [part, total > 0 ? profile[part] / total : 0])) as Profile;
}
