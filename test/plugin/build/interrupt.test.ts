import { afterEach, describe, expect, it, vi } from "vitest";
import { onInterrupt } from "../../../src/plugin/build/interrupt.ts";
import { eventually } from "../../support/eventually.ts";

const kill = vi.spyOn(process, "kill").mockImplementation(() => true);
const listener = (): void => undefined;
afterEach(() => {
  process.off("SIGHUP", listener);
  kill.mockClear();
});

/** Work that settles when the test says so. */
function startWork() {
  const controller = new AbortController();
  let settle = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { controller, interrupt: onInterrupt(controller, () => promise), settle: () => settle() };
}

describe("a signal", () => {
  it("stops the work, and is raised again when the work has settled", async () => {
    const { controller, settle } = startWork();
    process.emit("SIGHUP", "SIGHUP");
    expect(controller.signal.reason).toEqual(new Error("interrupted by SIGHUP: what was measured is kept"));
    expect(process.listenerCount("SIGHUP")).toBe(0);
    expect(kill).not.toHaveBeenCalled();
    settle();
    await eventually(() => expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, "SIGHUP"));
  });

  it("is not raised again where someone else has had it", async () => {
    process.on("SIGHUP", listener);
    const { controller, settle } = startWork();
    process.emit("SIGHUP", "SIGHUP");
    settle();
    await new Promise(setImmediate);
    expect(controller.signal.aborted).toBe(true);
    expect(kill).not.toHaveBeenCalled();
  });

  it("is nobody's business when there is no work", () => {
    const { interrupt } = startWork();
    interrupt.ignore();
    expect(process.listenerCount("SIGHUP")).toBe(0);
  });
});
