// Measures the share of the core that we have, by independent multiplications and additions, as many as a core can do
// side by side. Another hardware thread of the same core, which may belong to another virtual machine, halves their
// speed and ours for tens of milliseconds to seconds, and no clock of this machine tells of it.

/** Iterations of a probe: some 30 µs. */
const steps = 8_000;

/** Arithmetic of a probe. The sum is returned so that nothing is optimised away. */
function work(count: number): number {
  let [a, b, c, d, e, f, g, h] = [1, 2, 3, 4, 5, 6, 7, 8];
  for (let step = 0; step < count; step++) {
    a = a * 0.999 + 0.5;
    b = b * 0.999 + 0.5;
    c = c * 0.999 + 0.5;
    d = d * 0.999 + 0.5;
    e = e * 0.999 + 0.5;
    f = f * 0.999 + 0.5;
    g = g * 0.999 + 0.5;
    h = h * 0.999 + 0.5;
  }
  return a + b + c + d + e + f + g + h;
}

function timeOfWork(): number {
  const start = process.hrtime.bigint();
  const sum = work(steps);
  const ns = Number(process.hrtime.bigint() - start);
  if (Number.isNaN(sum)) throw new Error("the probe does not compute");
  return ns;
}

/** Probes run at first: V8 has compiled the loop by then, and a calm moment has likely been among them. Some 10 ms. */
const warmUps = 300;
/** A probe that takes longer than this many times the fastest one shares the core with somebody else. */
const calmFactor = 1.15;

/** Probes that the running share of calm ones remembers, and the share from which the core counts as quiet. */
const remembered = 32;
const quietShare = 0.9;

export interface Core {
  /** Whether the core is free of others just now, judged by one probe against the fastest one so far. */
  readonly isCalm: () => boolean;
  /** Whether the core was calm in nearly all of the latest probes. */
  readonly isQuiet: () => boolean;
}

export function createProbe(time: () => number = timeOfWork): Core {
  let leastNs = Number.POSITIVE_INFINITY;
  let calmShare = 0;
  const isCalm = (): boolean => {
    const ns = time();
    leastNs = Math.min(leastNs, ns);
    const calm = ns <= leastNs * calmFactor;
    calmShare += (Number(calm) - calmShare) / remembered;
    return calm;
  };
  for (let run = 0; run < warmUps; run++) isCalm();
  return { isCalm, isQuiet: () => calmShare >= quietShare };
}

/** Waits for a calm moment. Returns how many probes found the core disturbed; at most `most`. */
export function probesUntilCalm({ isCalm }: Core, most: number): number {
  for (let probes = 0; probes < most; probes++) if (isCalm()) return probes;
  return Math.max(0, most);
}
