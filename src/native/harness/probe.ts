// How much of the core we have: independent multiplications and additions, as many as a core can do side by side. Another
// hardware thread of the same core, which may belong to another virtual machine, halves their speed and ours for tens of
// milliseconds to seconds, and no clock of this machine tells of it.

/** Some 30 µs. */
const steps = 8_000;

/** The sum is there so that nothing is optimised away. */
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

/** Runs until V8 has compiled it, and until a calm moment has likely been among them: some 10 ms. */
const warmUps = 300;
/** Of the least time: beyond it somebody else has a part of the core. */
const calmFactor = 1.15;

/** The last so many probes say whether it is quiet, where so many of them were calm. */
const remembered = 32;
const quietShare = 0.9;

export interface Core {
  /** Whether we have it for ourselves just now, as far as it is known what that is like. */
  readonly isCalm: () => boolean;
  /** Whether it was so lately, as far as somebody asked. */
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

/** Waits for a calm moment. How many probes found it disturbed; at most `most`. */
export function probesUntilCalm({ isCalm }: Core, most: number): number {
  for (let probes = 0; probes < most; probes++) if (isCalm()) return probes;
  return Math.max(0, most);
}
