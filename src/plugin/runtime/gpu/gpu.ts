// A kernel whose calls off the event loop a GPU answers, beside a twin that answers all others: at once, where there is no GPU, and
// wherever the GPU fails.

import type { GpuInfo } from "../../../compiler/index.ts";
import type { Arrays, Instance, ModuleContext } from "../implementation.ts";
import { type Choice, choiceKey, recall, remember } from "./choice-memory.ts";
import { type ArrayRunner, type GpuApi, noSchedule, type ScheduleOnGpu } from "./gpu-api.ts";
import { tryOut } from "./trial.ts";

/** A kernel's GPU, as `gpuKernel` takes it. */
export interface Gpu {
  /** Changes as the GPU is asked for, tried and lost. */
  readonly info: GpuInfo;
  /** Asks for the device and compiles. Never rejects. */
  ready(): Promise<void>;
  /** Returns an instance whose `async` may be the GPU's. @param twin null: there is none */
  beside(twin: Instance | null): Instance;
  on(device: unknown, constants: Arrays | null): Promise<unknown>;
}

const toCome = "no call off the event loop has asked for a GPU yet";
const toTry = "the next call off the event loop tries it";

/** What the instances of a kernel have in common. */
interface State {
  /** Name of the adapter that the kernel was compiled for. */
  adapter: string | null;
  /** Why it does not answer. */
  reason: string | null;
  /** Key under which the outcome of a trial is kept; null: nothing is. */
  key: string | null;
  /** Whether the device has been asked for, and the kernel compiled. */
  isReady: boolean;
  /** The schedule that answers; null: a call has to be computed by all and the twin first. */
  chosen: ScheduleOnGpu | null;
  /** Whether the twin is to answer for good. */
  isOver: boolean;
  failures: number;
}

/** After so many failures the twin answers for good. */
const mostFailures = 3;

const textsOf = (schedules: readonly ScheduleOnGpu[]): readonly string[] =>
  schedules.flatMap(({ code }) => code.map(({ text }) => text));

/** Takes what an earlier visit found out, if anything. */
async function recallChoice(state: State, schedules: readonly ScheduleOnGpu[], adapter: string): Promise<void> {
  if (state.chosen !== null || state.isOver) return;
  state.key = await choiceKey(textsOf(schedules), adapter);
  const known = state.key && (await recall(state.key));
  if (known) choose(state, schedules, known);
}

function choose(state: State, schedules: readonly ScheduleOnGpu[], { schedule, reason }: Choice): void {
  state.chosen = (schedule === null ? null : schedules[schedule]) ?? null;
  state.isOver = state.chosen === null;
  state.reason = reason;
}

/** A kernel on the device, by each schedule that may be the best there. */
interface OnDevice {
  readonly runners: readonly ArrayRunner[];
  readonly schedules: readonly ScheduleOnGpu[];
}

/** Opens runners of a kernel, for each of its instances; null: there is no GPU for it. Never rejects. */
const createAsker = (api: GpuApi, state: State) => async (): Promise<OnDevice | null> => {
  const found = await api.find();
  if (found.kind === "none") {
    state.reason = found.reason;
    return null;
  }
  try {
    const all = api.schedulesFor(found);
    if (all.length === 0) throw new Error(noSchedule);
    await recallChoice(state, all, found.adapter);
    if (state.isOver) return null;
    const schedules = state.chosen ? [state.chosen] : all;
    const runners = await Promise.all(schedules.map((schedule) => api.open(schedule, found)));
    Object.assign(state, { adapter: found.adapter, reason: state.chosen ? null : toTry });
    return { runners, schedules };
  } catch (error) {
    state.reason = `the GPU refuses the kernel: ${(error as Error).message}`;
    state.isOver = true;
    return null;
  }
};

type Ask = ReturnType<typeof createAsker>;

/** Runners of one instance, with its constants. */
function createOwnRunners(state: State, ask: Ask) {
  let constants: Arrays | null = null;
  let opening: Promise<void> | null = null;
  let opened: OnDevice | null = null;
  const open = async (): Promise<void> => {
    opened = await ask();
    if (constants) for (const runner of opened?.runners ?? []) runner.set(constants);
  };
  return {
    set(values: Arrays): void {
      constants = values.map((value) => value.slice());
      for (const runner of opened?.runners ?? []) runner.set(constants);
    },
    /** Returns the runners; null: there are none, or not yet. Calls do not wait for a kernel that is being compiled. */
    async take(mustWait: boolean): Promise<OnDevice | null> {
      if (state.isOver) return null;
      opening ??= open();
      if (mustWait || state.isReady) await opening;
      return opened;
    },
    /** Forgets runners of which one failed. The next call asks for others, as a device may have been lost. */
    fail(error: unknown): void {
      state.reason = `the GPU failed: ${(error as Error).message}`;
      state.failures++;
      state.isOver = state.failures >= mostFailures;
      opened = null;
      opening = null;
    },
  };
}

/** The runner of the schedule that answers; undefined: none does yet. */
const answering = ({ chosen }: State, { runners, schedules }: OnDevice): ArrayRunner | undefined =>
  chosen === null ? undefined : runners[schedules.indexOf(chosen)];

function besideTwin({ facts }: ModuleContext, api: GpuApi, state: State, ask: Ask, twin: Instance): Instance {
  const own = createOwnRunners(state, ask);
  let isTrying = false;
  const attempt = async ({ runners, schedules }: OnDevice, inputs: Arrays, constants: Arrays | null) => {
    isTrying = true;
    try {
      const trial = await tryOut(
        runners.map((runner) => () => runner.run(inputs, constants)),
        // A worker takes the memory of what it gets.
        () => twin.async(copied(inputs), constants && copied(constants)),
        facts.errorBound,
        api.numbersOf,
      );
      choose(state, schedules, trial);
      if (state.key !== null) void remember(state.key, trial);
      for (const [at, runner] of runners.entries()) if (schedules[at] !== state.chosen) runner.destroy();
      return trial.outputs;
    } finally {
      isTrying = false;
    }
  };
  return {
    ...twin,
    set(values, isLast) {
      if (isLast) own.set(values);
      twin.set(values, isLast);
    },
    async async(inputs, constants) {
      const opened = isTrying ? null : await own.take(false);
      if (opened && !isTrying && !state.isOver) {
        try {
          const runner = answering(state, opened);
          return await (runner ? runner.run(inputs, constants) : attempt(opened, inputs, constants));
        } catch (error) {
          own.fail(error);
        }
      }
      return twin.async(inputs, constants);
    },
  };
}

const copied = (arrays: Arrays): Arrays => arrays.map((array) => array.slice());

/** An instance without a twin: calls that cannot wait have nobody to answer them. */
function alone({ facts, tensors }: ModuleContext, state: State, ask: Ask): Instance {
  const own = createOwnRunners(state, ask);
  const none = (): never => {
    throw new Error(`${facts.op}: a GPU answers through async and on alone; no twin was built (fallback=none)`);
  };
  return {
    set(values, isLast) {
      if (isLast) own.set(values);
    },
    buffers: () => tensors.map(({ array, length }) => new array(length)),
    bind: none,
    async async(inputs, constants) {
      const opened = await own.take(true);
      if (opened) {
        choose(state, opened.schedules, { schedule: 0, reason: null });
        return opened.runners[0]!.run(inputs, constants);
      }
      throw new Error(`${facts.op}: ${state.reason}; no twin was built (fallback=none)`);
    },
  };
}

/** A GPU of a kernel that the build made no code for. */
function noGpu({ facts }: ModuleContext): Gpu {
  const reason = facts.reason ?? "the build made no code for a GPU";
  return {
    info: { adapter: null, reason },
    ready: async () => {},
    beside: (twin) => twin!,
    on: async () => {
      throw new Error(`${facts.op}: ${reason}`);
    },
  };
}

/** @param api null: there is no code */
export function createGpu(context: ModuleContext, api: GpuApi | null): Gpu {
  if (!api) return noGpu(context);
  const state: State = {
    adapter: null,
    reason: toCome,
    key: null,
    isReady: false,
    chosen: null,
    isOver: false,
    failures: 0,
  };
  const ask = createAsker(api, state);
  const info: GpuInfo = {
    get adapter() {
      return info.reason ? null : state.adapter;
    },
    get reason() {
      return api.lost?.() ?? state.reason;
    },
  };
  return {
    info,
    async ready() {
      await ask();
      state.isReady = true;
    },
    beside: (twin) => (twin ? besideTwin(context, api, state, ask, twin) : alone(context, state, ask)),
    on: api.on,
  };
}
