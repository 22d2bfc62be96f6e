// Several ways to compute the same, measured in turns in the visitor's browser. What a page shows of it is in LiveBench.vue.

export type Numbers = Float32Array | Uint8Array | Uint8ClampedArray;

export interface Entrant {
  readonly name: string;
  /** Version of a library: "1.30.0". */
  readonly version?: string;
  /** Uncompressed, of what a page loads for it; 0: it is part of the page. */
  readonly bytes: number;
  /** One call. */
  run(): void | Promise<void>;
  /** The result of the last call. */
  output(): Numbers;
}

export interface Work {
  /** "20,000 documents of 384 numbers" */
  readonly what: string;
  /** Way in which the kernel's schedule was chosen, in words. */
  readonly schedule: string;
  /** The first is the kernel, the second plain JavaScript. */
  readonly entrants: readonly Entrant[];
  readonly libraries: readonly Library[];
}

/** A library that is large, so that it is loaded when somebody asks for it. */
export interface Library {
  readonly name: string;
  /** Uncompressed, about, for the visitor who has not loaded it. */
  readonly megabytes: number;
  load(): Promise<Entrant>;
}

export interface Row {
  readonly name: string;
  readonly version: string | null;
  readonly bytes: number;
  /** Nanoseconds of a call, the median over the rounds; null: not measured yet. */
  readonly ns: number | null;
  /** Largest difference from plain JavaScript, beside its largest element. */
  readonly error: number;
}

const rounds = 15;
/** Milliseconds of one sample at least: clocks of browsers may be as coarse as one. */
const sampleMs = 12;

/** Each round measures every entrant once, so that a slow moment of the machine meets all of them. */
export async function measureInTurns(
  entrants: readonly Entrant[],
  onRound: (rows: readonly Row[]) => void,
): Promise<void> {
  const errors: number[] = [];
  const calls: number[] = [];
  for (const entrant of entrants) {
    await entrant.run();
    errors.push(difference(entrant.output(), await plainOutput(entrants)));
    calls.push(await callsFor(entrant));
  }
  const times: number[][] = entrants.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, entrant] of entrants.entries()) times[at]!.push(await sample(entrant, calls[at]!));
    onRound(
      entrants.map(({ name, version = null, bytes }, at) => {
        return { name, version, bytes, ns: median(times[at]!), error: errors[at]! };
      }),
    );
    await new Promise((next) => setTimeout(next));
  }
}

async function plainOutput(entrants: readonly Entrant[]): Promise<Numbers> {
  const [, plain] = entrants;
  await plain!.run();
  return plain!.output();
}

function difference(found: Numbers, wanted: Numbers): number {
  let [largest, scale] = [0, 0];
  for (let at = 0; at < wanted.length; at += 1) {
    largest = Math.max(largest, Math.abs(found[at]! - wanted[at]!));
    scale = Math.max(scale, Math.abs(wanted[at]!));
  }
  return scale === 0 ? largest : largest / scale;
}

async function callsFor(entrant: Entrant): Promise<number> {
  let calls = 1;
  while (calls < 1e6 && (await sample(entrant, calls)) * calls < sampleMs * 1e6) calls *= 2;
  return calls;
}

/** Nanoseconds of a call. */
async function sample(entrant: Entrant, calls: number): Promise<number> {
  const start = performance.now();
  for (let call = 0; call < calls; call += 1) {
    const pending = entrant.run();
    // A call that is done costs no turn of the event loop.
    if (pending) await pending;
  }
  return ((performance.now() - start) * 1e6) / calls;
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1]!;

/** Returns the result of `load`, and the uncompressed bytes of the files that the page loaded for it. */
export async function withBytes<T>(load: () => Promise<T>): Promise<{ readonly value: T; readonly bytes: number }> {
  await settled();
  const before = new Set(resources().map(({ name }) => name));
  const value = await load();
  await settled();
  const fresh = resources().filter(({ name }) => !before.has(name));
  return { value, bytes: fresh.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0) };
}

/** Engines list a file a moment after it has come: what the page itself loads has to be there before, and all of it after. */
async function settled(): Promise<void> {
  for (let known = -1; known !== resources().length; ) {
    known = resources().length;
    await new Promise((later) => setTimeout(later, 300));
  }
}

const resources = (): PerformanceResourceTiming[] =>
  performance.getEntriesByType("resource") as PerformanceResourceTiming[];

/** Tells from a kernel's `info` how its schedule was chosen. */
export const scheduleOf = ({
  gflops,
  twin,
}: {
  readonly gflops: number | null;
  readonly twin: string | null;
}): string =>
  gflops === null
    ? `${twin}, with the predicted schedule: nothing was measured to choose it`
    : `${twin}, tuned beforehand on another machine, from which its decision was committed`;
