// The page of a dev server as a machine that measures: a hidden frame in it asks the server for candidates, and ends when all kernels are known.

import { framedPage } from "./framed-page.ts";

let isWanted = false;
let frame: HTMLIFrameElement | null = null;

/** Modules of a page come one after the other, and more kernels cost no other frame. */
const patienceMs = 1000;

function open(url: string): void {
  if (frame || !isWanted) return;
  isWanted = false;
  const own = document.createElement("iframe");
  frame = own;
  own.hidden = true;
  own.title = framedPage.title;
  const ended = ({ source, data }: MessageEvent): void => {
    if (source !== own.contentWindow || data !== framedPage.ended) return;
    removeEventListener("message", ended);
    own.remove();
    frame = null;
    open(url);
  };
  addEventListener("message", ended);
  own.src = url;
  document.body.append(own);
}

/** Has the page measure kernels. On servers and in workers nothing does. @param url page that measures, of the dev server */
export function measureHere(url: string): void {
  if (!globalThis.document) return;
  isWanted = true;
  setTimeout(open, patienceMs, url);
}
