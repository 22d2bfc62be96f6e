// The remote store of a case: a server within this process, right or hostile.

import type { SharedDecision } from "../../../src/tuner/store/exchange.ts";
import { type Behaviour, type Double, startDouble } from "../../support/remote/double.ts";
import { offerAt } from "../../support/remote/share.ts";
import type { BuildCase } from "./dimensions.ts";

const answering =
  (status: number, body: string | Buffer = "", headers = {}): Behaviour =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

const behaviours: { readonly [remote in BuildCase["remote"]]?: Behaviour } = {
  "answers 500": answering(500, "drawn"),
  "answers 401": answering(401),
  "answers rubbish": answering(200, Buffer.from([0, 255, 123, 10, 0])),
  "cuts its answers": (_, response) =>
    response.writeHead(200, { "content-length": "500" }).write("{", () => void response.destroy()),
  redirects: answering(307, "", { location: "http://127.0.0.1:1/" }),
  "redirects to a file": answering(302, "", { location: "file:///etc/passwd" }),
  "has a huge body": answering(200, Buffer.alloc(20_000_000, 32)),
  drips: (_, response) => {
    response.writeHead(200);
    const dripping = setInterval(() => response.write("{"), 200);
    response.on("close", () => clearInterval(dripping));
  },
  hangs: () => {},
};

/** The decision with a time that no machine reaches. */
export const forged = (decision: SharedDecision): SharedDecision => ({
  ...decision,
  measured: { ...decision.measured, medianNs: 1e-3, gflops: 1e6 },
});

export const storePath = "/store";

/** @param decision right one of the kernel; null: a kernel of the case's target cannot be measured here */
export async function startRemote(kind: BuildCase["remote"], decision: SharedDecision | null): Promise<Double> {
  const server = await startDouble();
  server.behave(behaviours[kind] ?? null);
  if (decision) offer(server, kind, decision);
  return server;
}

function offer(server: Double, kind: BuildCase["remote"], decision: SharedDecision): void {
  const { key } = decision;
  if (kind === "right") offerAt(server, storePath, key, decision);
  if (kind === "has a forged time") offerAt(server, storePath, key, forged(decision));
  if (kind === "has another kernel's decision")
    offerAt(server, storePath, key, {
      ...decision,
      source: "3".repeat(64),
      candidate: { template: "none", assignment: {} },
    });
  if (kind !== "has another digest") return;
  offerAt(server, storePath, key, decision);
  const [path, bytes] = [...server.files].find(([name]) => name.includes("/cas/"))!;
  server.files.set(path, Buffer.from(bytes.toString().replace(/"trials":\d/, '"trials":9')));
}
