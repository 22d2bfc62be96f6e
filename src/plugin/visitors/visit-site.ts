// The page that measures in a browser, and what it sends: who visits, that it asks for work, what came of it. Each visit is a machine.

import { readFileSync } from "node:fs";
import type { TypedArray } from "../../compiler/index.ts";
import { packageFile } from "../../native/machine/package-file.ts";
import { BadBody, type PageFile, type PageSite, type Post } from "../../native/network/page-listener.ts";
import { type Answer, answerIn, factsIn, visitIn } from "./decode.ts";
import type { Next, VisitorFacts } from "./messages.ts";
import { createPageMachine, type PageMachine } from "./page-machine.ts";
import type { InputShelf } from "./page-runner.ts";

/** Most bytes of an answer: outputs of 256 MiB. */
const mostBytes = 2 ** 28;

const folder = "dist/tune-page";

const fileOf = (name: string, type: string): PageFile => ({
  type: `${type}; charset=utf-8`,
  body: readFileSync(packageFile(`${folder}/${name}`)),
});

/** "Chrome/138.0 on apple metal-3" */
export function browserName({ userAgent, gpu }: VisitorFacts): string {
  const products = userAgent.match(/(Edg|Firefox|HeadlessChrome|Chrome|Version)\/[\d.]+/g) ?? [];
  const browser = products.find((it) => it.startsWith("Edg")) ?? products[0] ?? "a browser";
  return gpu ? `${browser} on ${gpu.name}` : browser;
}

/** Puts inputs of tasks where the page finds them. Those of all visits have numbers of their own. */
function createShelf(files: Map<string, PageFile>): InputShelf {
  let last = 0;
  return {
    put(inputs: readonly TypedArray[]): number {
      const task = last++;
      for (const [at, { buffer, byteOffset, byteLength }] of inputs.entries()) {
        const body = new Uint8Array(buffer, byteOffset, byteLength);
        files.set(`/inputs/${task}/${at}`, { type: "application/octet-stream", body });
      }
      return task;
    },
  };
}

/** @param onVisit called when a browser has opened the page; it gets its work from the machine */
export function createVisitSite(
  onVisit: (facts: VisitorFacts, machine: PageMachine, shelf: InputShelf) => void,
): PageSite {
  const machines: PageMachine[] = [];
  const files = new Map<string, PageFile>([
    ["/", fileOf("index.html", "text/html")],
    ["/page.js", fileOf("page.js", "text/javascript")],
    ["/worker.js", fileOf("worker.js", "text/javascript")],
    ["/page.css", fileOf("page.css", "text/css")],
  ]);
  const shelf = createShelf(files);
  const machineOf = (visit: number): PageMachine => {
    const machine = machines[visit];
    if (machine) return machine;
    throw new BadBody("this visit is not known: load the page again");
  };
  const posts = new Map<string, Post>([
    [
      "/visit",
      {
        mostBytes: 8192,
        answer(body) {
          const facts = factsIn(body);
          const machine = createPageMachine(browserName(facts));
          machines.push(machine);
          onVisit(facts, machine, shelf);
          return { visit: machines.length - 1 };
        },
      } satisfies Post,
    ],
    [
      "/next",
      {
        mostBytes: 256,
        answer: (body) => machineOf(visitIn(body)).next(),
        answered(next) {
          for (const machine of machines) machine.told(next as Next);
        },
      } satisfies Post,
    ],
    [
      "/answer",
      {
        mostBytes,
        answer(body) {
          const answer: Answer = answerIn(body);
          return { taken: machineOf(answer.visit).take(answer) };
        },
      } satisfies Post,
    ],
  ]);
  return { files, posts };
}
