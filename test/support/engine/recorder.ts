// A script that pages of tests run before their own: it keeps what goes wrong in them, and which workers they start. It hears what a
// driver does not: violations of the page's policy, and in WebKit everything.

import type { Plugin } from "vite";

export interface Recorded {
  /** Errors and warnings of the console, exceptions, rejections, and violations of the policy. */
  readonly said: readonly string[];
  /** Addresses of workers that were started and have neither failed nor been ended. */
  workers(): readonly string[];
}

declare global {
  var recorded: Recorded | undefined;
}

export const recorderText = `(() => {
  const said = [], running = new Map();
  globalThis.recorded = { said, workers: () => [...running.values()] };
  for (const level of ["error", "warn"]) {
    const original = console[level];
    console[level] = (...words) => {
      said.push(words.map(String).join(" "));
      original.apply(console, words);
    };
  }
  addEventListener("error", ({ message, target }) => said.push(message ?? "cannot load " + (target.src ?? target.href)), true);
  addEventListener("unhandledrejection", ({ reason }) => said.push("rejected: " + reason));
  document.addEventListener("securitypolicyviolation", (event) => said.push(event.violatedDirective + ": " + event.blockedURI));
  globalThis.Worker = class extends Worker {
    constructor(url, options) {
      super(url, options);
      running.set(this, new URL(url, location.href).href);
      this.addEventListener("error", () => running.delete(this));
    }
    terminate() {
      running.delete(this);
      super.terminate();
    }
  };
})();`;

export const recorderPath = "/recorder.js";

/** A page that loads the recorder first, from its own server: policies allow that. */
export const withRecorder = (html: string): string =>
  html.replace(/^<!doctype html>/i, (doctype) => `${doctype}<script src="${recorderPath}"></script>`);

/** The same for a page that is a file: the policy in its own head comes after it. */
export const withInlineRecorder = (html: string): string =>
  html.replace(/^<!doctype html>/i, (doctype) => `${doctype}<script>${recorderText}</script>`);

/** The same for Vite's dev server, whose pages have no policy. */
export const recorderPlugin: Plugin = {
  name: "recorder",
  transformIndexHtml: () => [{ tag: "script", children: recorderText, injectTo: "head-prepend" }],
};
