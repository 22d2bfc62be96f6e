// A kernel whose calls off the event loop a GPU answers, beside a twin that answers all others: at once, where there is no GPU, and
// wherever the GPU fails.

import type { GpuInfo, KernelOnDevice } from "../../../compiler/index.ts";
import type { Arrays, Instance, ModuleContext } from "../implementation.ts";
import { findDevice } from "./device.ts";
import type { GpuFacts } from "./gpu-facts.ts";
import { openOn } from "./on-device.ts";
import { type ArrayRunner, openArrayRunner } from "./run-arrays.ts";
import { tryOut } from "./trial.ts";

/** A kernel's GPU, as `createGpuKernel` takes it. */
export interface Gpu {
  /** Changes as the GPU is asked for, tried and lost. */
  readonly info: GpuInfo;
  /** Asks for the device and compiles. Never rejects. */
  ready(): Promise<void>;
  /** Returns an instance whose `async` may be the GPU's. @param twin null: there is none */
  beside(twin: Instance | null): Instance;
  on(device: unknown, constants: Arrays | null): Promise<KernelOnDevice>;
}

const toCome = "no call off the event loop has asked for a GPU yet";
const toTry = "the next call off the event loop tries it";

/** What the instances of a kernel have in common. */
interface State {
  /** Name of the adapter that the kernel was compiled for. */
  adapter: string | null;
  /** Why it does not answer. */
  reason: string | null;
  /** Whether the device has been asked for, and the kernel compiled. */
  isReady: boolean;
  /** Whether a call has been computed by both; false: the next one is. */
  isTried: boolean;
  /** Whether the twin is to answer for good. */
  isOver: boolean;
  failures: number;
}

/** After so many failures the twin answers for good. */
const mostFailures = 3;

/** Opens runners of a kernel, one for each of its instances; null: there is no GPU for it. Never rejects. */
const createAsker =
  (context: ModuleContext, facts: GpuFacts, state: State) => async (): Promise<ArrayRunner | null> => {
    const found = await findDevice();
    if (found.kind === "none") {
      state.reason = found.reason;
      return null;
    }
    try {
      const runner = await openArrayRunner(context, facts, found.device);
      if (!state.isTried && !state.isOver) Object.assign(state, { adapter: found.adapter, reason: toTry });
      return runner;
    } catch (error) {
      state.reason = `the GPU refuses the kernel: ${(error as Error).message}`;
      state.isOver = true;
      return null;
    }
  };

type Ask = ReturnType<typeof createAsker>;

/** Runner of one instance, with its constants. */
function createOwnRunner(state: State, ask: Ask) {
  let constants: Arrays | null = null;
  let opening: Promise<void> | null = null;
  let runner: ArrayRunner | null = null;
  const open = async (): Promise<void> => {
    runner = await ask();
    if (runner && constants) runner.set(constants);
  };
  return {
    set(values: Arrays): void {
      constants = values.map((value) => value.slice());
      runner?.set(constants);
    },
    /** Returns the runner; null: there is none, or not yet. Calls do not wait for a kernel that is being compiled. */
    async take(mustWait: boolean): Promise<ArrayRunner | null> {
      if (state.isOver) return null;
      opening ??= open();
      if (mustWait || state.isReady) await opening;
      return runner;
    },
    /** Forgets a runner that failed. The next call asks for another, as a device may have been lost. */
    fail(error: unknown): void {
      state.reason = `the GPU failed: ${(error as Error).message}`;
      state.failures++;
      state.isOver = state.failures >= mostFailures;
      state.isTried = false;
      runner = null;
      opening = null;
    },
  };
}

function besideTwin({ facts }: ModuleContext, state: State, ask: Ask, twin: Instance): Instance {
  const own = createOwnRunner(state, ask);
  let isTrying = false;
  const attempt = async (runner: ArrayRunner, inputs: Arrays, constants: Arrays | null): Promise<Arrays> => {
    isTrying = true;
    try {
      const { outputs, reason } = await tryOut(
        () => runner.run(inputs, constants),
        // A worker takes the memory of what it gets.
        () => twin.async(copied(inputs), constants && copied(constants)),
        facts.errorBound,
      );
      Object.assign(state, { isTried: true, reason, isOver: reason !== null });
      return outputs;
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
      const runner = isTrying ? null : await own.take(false);
      if (runner && !isTrying) {
        try {
          return await (state.isTried ? runner.run(inputs, constants) : attempt(runner, inputs, constants));
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
  const own = createOwnRunner(state, ask);
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
      const runner = await own.take(true);
      if (runner) {
        Object.assign(state, { isTried: true, reason: null });
        return runner.run(inputs, constants);
      }
      throw new Error(`${facts.op}: ${state.reason}; no twin was built (fallback=none)`);
    },
  };
}

/** A GPU of a kernel that the build made no code for. */
function noGpu({ facts }: ModuleContext): Gpu {
  const reason = facts.reason ?? "the build made no code for WebGPU";
  return {
    info: { adapter: null, reason },
    ready: async () => {},
    beside: (twin) => twin!,
    on: async () => {
      throw new Error(`${facts.op}: ${reason}`);
    },
  };
}

/** @param facts null: there is no code */
export function createGpu(context: ModuleContext, facts: GpuFacts | null): Gpu {
  if (!facts) return noGpu(context);
  const state: State = { adapter: null, reason: toCome, isReady: false, isTried: false, isOver: false, failures: 0 };
  const ask = createAsker(context, facts, state);
  const info = {
    get adapter() {
      return state.reason === null ? state.adapter : null;
    },
    get reason() {
      return state.reason;
    },
  };
  return {
    info,
    async ready() {
      await ask();
      state.isReady = true;
    },
    beside: (twin) => (twin ? besideTwin(context, state, ask, twin) : alone(context, state, ask)),
    on: (device, constants) => openOn(context, facts, device, constants),
  };
}
