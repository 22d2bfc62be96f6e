// Pages of a dev server as machines: a module for WebGPU has its page open a hidden frame, whose script measures the kernels of the project for the
// class of the GPU, in a process beside the server (background/await-visit.ts). What the frame asks is handed on to that process.

import type { Access } from "../../native/network/page-listener.ts";
import { handOn, type IncomingMessage, type ServerResponse } from "../../native/network/pipe.ts";
import type { ParsedRequest } from "../request/request.ts";
import type { Session } from "../session/session.ts";

/** Folder of the frame's files, below that of the dev server's assets. */
const tuneFolder = "tune/";

export interface DevVisits {
  /** Notes a kernel, and returns the path of the page that measures it. @param folder path of the dev server's assets */
  pageFor(request: ParsedRequest, folder: string): string;
  /** Answers what a frame asks, by its path below the folder of assets; false: it is for others. */
  answer(path: string, asked: IncomingMessage, response: ServerResponse, access: Access): boolean;
}

/** @param onDecided called with a kernel that has a new decision in the lock */
export function createDevVisits(session: Session, onDecided: (request: ParsedRequest) => void): DevVisits {
  const wanted = new Map<string, ParsedRequest>();
  /** Pipes by the number of the visit. */
  const pipes: (string | undefined)[] = [];

  const begin = async (response: ServerResponse, access: Access): Promise<void> => {
    const requests = [...wanted.values()];
    const visit = pipes.push(undefined) - 1;
    const onListening = (pipe: string): void => {
      pipes[visit] = pipe;
      // The files of the page have relative paths, each visit's its own.
      response.writeHead(302, { Location: `${visit}/`, "Cache-Control": "no-store" }).end();
    };
    try {
      const decided = await session.awaitVisit(requests, { access, onListening });
      for (const place of decided) onDecided(requests[place]!);
    } finally {
      pipes[visit] = undefined;
      if (!response.headersSent) response.destroy();
    }
  };

  return {
    pageFor(request, folder) {
      wanted.set(request.path + request.query, request);
      return folder + tuneFolder;
    },
    answer(path, asked, response, access) {
      if (!path.startsWith(tuneFolder)) return false;
      const [, visit, file = ""] = /^(\d*)(?:\/(.*))?$/.exec(path.slice(tuneFolder.length)) ?? [];
      const pipe = visit ? pipes[Number(visit)] : undefined;
      if (visit === "") {
        begin(response, access).catch((error: Error) =>
          session.log().debug(`a page does not measure: ${error.message}`),
        );
      } else if (pipe === undefined) response.writeHead(404).end();
      else handOn(asked, response, pipe, `/${file}`);
      return true;
    },
  };
}
