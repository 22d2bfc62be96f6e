// HTTP between two processes of this machine by a pipe, a socket in the file system that only its owner reaches: one listens, the other
// hands on what its own server is asked.

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from "node:http";
import { join } from "node:path";

export type { IncomingMessage, ServerResponse } from "node:http";

/** Path of a new pipe. @param folder one that others cannot read; Windows has pipes in none */
export const pipeIn = (folder: string): string =>
  process.platform === "win32" ? `\\\\.\\pipe\\unplugin-kernel-${randomUUID()}` : join(folder, "pipe");

export interface PipeServer {
  close(): Promise<void>;
}

/** Rejects where the system makes no such pipe. */
export async function listenOnPipe(pipe: string, listener: RequestListener): Promise<PipeServer> {
  const server = createServer(listener);
  await new Promise<void>((listening, reject) => {
    server.once("error", reject);
    server.listen(pipe, listening);
  });
  return {
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** Answers a request by what the other end of a pipe says of it under another path. Where nobody listens, the connection ends. */
export function handOn(asked: IncomingMessage, response: ServerResponse, pipe: string, path: string): void {
  const { method, headers } = asked;
  const handed = request({ socketPath: pipe, path, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  handed.on("error", () => response.destroy());
  response.on("close", () => handed.destroy());
  asked.pipe(handed);
}
