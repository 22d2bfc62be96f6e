// How a page starts workers: from the file of the build, and where that cannot be had from memory.

import { afterEach, expect, it, vi } from "vitest";
import { startWorker, type WorkerSource } from "../../../src/native/process/start-worker.ts";

afterEach(() => vi.unstubAllGlobals());

/** Starts a worker in what looks like a page of example.com; returns the addresses that were tried, until one that `isAllowed`. */
async function triedIn(source: WorkerSource, isAllowed: (address: string) => boolean): Promise<readonly string[]> {
  const [tried, blobs]: [string[], Blob[]] = [[], []];
  vi.stubGlobal("location", new URL("https://example.com/app/"));
  vi.stubGlobal("process", {});
  vi.stubGlobal(
    "URL",
    class extends URL {
      static override createObjectURL(blob: Blob): string {
        return `blob:${blobs.push(blob) - 1}`;
      }
    },
  );
  vi.stubGlobal(
    "Worker",
    class {
      onmessage = (_: { data: unknown }): void => {};
      onerror = (_: unknown): void => {};
      constructor(address: string) {
        const begin = async (): Promise<void> => {
          // There are no listeners yet in the constructor.
          tried.push(await (address.startsWith("blob:") ? blobs[Number(address.slice(5))]!.text() : address));
          if (isAllowed(tried.at(-1)!)) this.onmessage({ data: { isReady: true } });
          else this.onerror(new Error("refused"));
        };
        void begin();
      }
      terminate(): void {}
    },
  );
  await new Promise<void>((done) => {
    startWorker(source, "async", { message: () => done(), failed: () => done() });
  });
  return tried;
}

const never = (): boolean => false;

it("the file of the page's own origin comes first, then one that is loaded from memory, then the text", async () => {
  const source = { text: "text of the script", url: () => "kernel-worker.js" };
  const file = "https://example.com/app/kernel-worker.js";
  expect(await triedIn(source, () => true)).toEqual([file]);
  expect(await triedIn(source, never)).toEqual([file, `importScripts("${file}")`, "text of the script"]);
});

it("a file of another origin is loaded from memory alone", async () => {
  const source = { url: () => "https://cdn.example/kernel-worker.js" };
  expect(await triedIn(source, never)).toEqual(['importScripts("https://cdn.example/kernel-worker.js")']);
});

it("a realm that has no workers, as a worklet, says so once", async () => {
  vi.stubGlobal("process", {});
  vi.stubGlobal("Worker", undefined);
  const errors = await new Promise<unknown[]>((done) => {
    const failures: unknown[] = [];
    startWorker({ text: "text of the script" }, "async", {
      message: () => {},
      failed(error) {
        failures.push(error);
        setTimeout(() => done(failures), 10);
      },
    });
  });
  expect(errors).toEqual([expect.any(Error)]);
});

it("a file without an address, as in a classic script, leaves the text", async () => {
  const url = (): string => {
    throw new ReferenceError("process is not defined");
  };
  expect(await triedIn({ text: "text of the script", url }, () => true)).toEqual(["text of the script"]);
  expect(await triedIn({ url }, () => true)).toEqual([]);
});

const refused = (): Promise<never> => Promise.reject(new DOMException("no locks in this origin", "SecurityError"));
type Options = { readonly signal: AbortSignal };
const granted = async (_name: string, _options: Options, start: () => void): Promise<void> => start();
/** Another realm has it and does not give it back. */
const kept = (_name: string, { signal }: Options): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

it.each([
  { what: "a worker waits for its turn among the origin's workers", request: granted, asked: 1 },
  { what: "a worker that may have no lock starts its own all the same", request: refused, asked: 1 },
  { what: "a worker whose turn does not come starts its own all the same", request: kept, asked: 1 },
  { what: "a page waits for nobody", document: {}, request: refused, asked: 0 },
  { what: "an engine without locks starts at once", request: undefined, asked: 0 },
])("$what", async ({ document, request, asked }) => {
  const locks = request && { request: vi.fn(request) };
  vi.stubGlobal("document", document);
  vi.stubGlobal("navigator", { locks });
  expect(await triedIn({ text: "text of the script" }, () => true)).toEqual(["text of the script"]);
  expect(locks?.request.mock.calls.length ?? 0).toBe(asked);
});
