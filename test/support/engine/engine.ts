// Interface of a browser's engine for tests, whichever it is and however it is driven.

import { patienceMs } from "../eventually.ts";

export interface EnginePage {
  /** Resolves when the page has loaded. */
  goto(url: string): Promise<void>;
  /** The value of an expression, or of its promise: plain data. Works under every content-security policy. */
  evaluate<T>(expression: string): Promise<T>;
  /** The value of an expression as soon as it is true; the page may load anew meanwhile. */
  waitFor<T = true>(expression: string): Promise<T>;
  /** Presses a key and lets it go: "Tab", "Enter", "Space", "ArrowRight". */
  press(key: Key): Promise<void>;
  title(): Promise<string>;
  /** Errors and warnings of the console and exceptions so far, as far as the driver hears of them: those of WebKit are in `recorded`. */
  said(): readonly string[];
  /** Addresses of the workers that run. */
  workers(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export type Key = "Tab" | "Enter" | "Space" | "ArrowRight";

export interface PageOptions {
  /** Whether the page is to be cross-origin isolated. The server's headers make it so; WebKitGTK has to be told, too. Default: false. */
  readonly isIsolated?: boolean;
}

export interface RunningEngine {
  /** "153.7.0" */
  readonly version: string;
  newPage(options?: PageOptions): Promise<EnginePage>;
  /** Ends its processes. */
  close(): Promise<void>;
}

export const engineNames = ["Chromium", "Firefox", "WebKit"] as const;
export type EngineName = (typeof engineNames)[number];

export interface Engine {
  readonly name: EngineName;
  /** Why it cannot be driven here; null if it can. */
  readonly missing: string | null;
  launch(): Promise<RunningEngine>;
}

/** An expression as a script whose promise gives JSON. Drivers differ in which values they carry; all carry a string. */
export const asJson = (expression: string): string => `(async () => JSON.stringify((await (${expression})) ?? null))()`;

const pollMs = 25;

/** Asks again and again: a page that loads anew has no answer for a while. */
export async function waitUntil<T>(valueNow: () => Promise<T>, what: string): Promise<T> {
  const end = performance.now() + patienceMs;
  for (let last: unknown; ; await new Promise((resolve) => setTimeout(resolve, pollMs))) {
    try {
      const value = await valueNow();
      if (value) return value;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end) throw new Error(`not true within ${patienceMs / 1000} s: ${what}`, { cause: last });
  }
}
