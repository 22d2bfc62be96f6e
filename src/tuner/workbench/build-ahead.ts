// Decides when kernels are compiled: all before the first is measured, or the second half while the first is measured. Compiling
// beside a measurement makes it wrong unless both have cores of their own.

/** Schedule of a round's builds. */
export interface BuildPolicy {
  /** Number of kernels in each part, which is built in one go; parts are in order. */
  readonly parts: readonly number[];
  /** Compiler processes for a part while nothing is measured. */
  readonly jobs: number;
  /** Compiler processes for a part while the one before it is measured; 0: it waits. */
  readonly jobsBeside: number;
}

/** Cores that measuring takes: one for the measured process, one for this one. */
const coresForMeasuring = 2;
const leastCores = 4;

/** Number of kernels for a GPU that are compiled while others are measured; at least the next one, as it is the GPU that is measured. */
export const buildsBeside = (cores: number): number => Math.max(1, cores - coresForMeasuring);

/**
 * Chooses a policy. On fewer than four cores nothing is compiled while something is measured.
 *
 * @param isUrgent whether little time is left, and nothing has run: the first kernels have a compiler each, and the others come
 *   after they are measured
 */
export function buildPolicy(cores: number, kernels: number, isUrgent = false): BuildPolicy {
  const urgent = isUrgent ? Math.min(cores, kernels) : 0;
  const parts = (...sizes: readonly number[]): readonly number[] => [urgent, ...sizes].filter((size) => size > 0);
  const rest = kernels - urgent;
  if (cores < leastCores || kernels < 2) return { parts: parts(rest), jobs: cores, jobsBeside: 0 };
  const first = Math.ceil(rest / 2);
  return { parts: parts(first, rest - first), jobs: cores, jobsBeside: cores - coresForMeasuring };
}

/**
 * Yields what `build` makes of each item, in their order. A part is begun when the one before it is ready, if the policy
 * has processes for it then, else when it is asked for. A consumer that stops early leaves at most one build behind.
 */
export async function* buildAhead<S, B>(
  items: readonly S[],
  { parts, jobs, jobsBeside }: BuildPolicy,
  build: (part: readonly S[], jobs: number) => Promise<readonly B[]>,
): AsyncGenerator<B, undefined> {
  const waiting = partsOf(items, parts);
  let ahead: Promise<readonly B[]> | null = null;
  for (let part = waiting.shift(); part; part = waiting.shift()) {
    const built: readonly B[] = await (ahead ?? build(part, jobs));
    const [next] = waiting;
    ahead = next && jobsBeside > 0 ? build(next, jobsBeside) : null;
    // A failure is reported when the part is asked for.
    ahead?.catch(() => undefined);
    yield* built;
  }
  return undefined;
}

function partsOf<S>(items: readonly S[], sizes: readonly number[]): (readonly S[])[] {
  let end = 0;
  return sizes.map((size) => {
    end += size;
    return items.slice(end - size, end);
  });
}
