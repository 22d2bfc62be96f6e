// Finds the place in the user's file from which a function of the language was called: call stack → SourceLoc.

import type { SourceLoc } from "./source-loc.ts";

/** Turns a frame of the running program into a place in the file that the user wrote. */
export interface SourceMapper {
  /** Null if the frame is not in the user's code: the next outer frame is asked. */
  locate(frame: SourceLoc): SourceLoc | null;
  /** The text of that line, for a code frame; null if it is not known. */
  line(loc: SourceLoc): string | null;
}

/** Our own frames and Node's are not the user's; nothing else is mapped. */
export const plainMapper: SourceMapper = {
  locate: (frame) => (ownFolders.some((folder) => frame.file.startsWith(folder)) ? null : frame),
  line: () => null,
};

// In the source tree the folders beside this one; in the published package the folder of all bundles.
const folderOf = (relative: string): string => pathOf(new URL(relative, import.meta.url).href);
const ownFolders: readonly string[] = [folderOf("."), folderOf("../expr/"), folderOf("../ops/"), "node:"];

let current: SourceMapper = plainMapper;

/** The mapper of the operator file that is being evaluated. */
export const currentMapper = (): SourceMapper => current;

/** Runs `body` with another mapper; the one before is restored whatever happens. */
export function withMapper<T>(mapper: SourceMapper, body: () => T): T {
  const before = current;
  current = mapper;
  try {
    return body();
  } finally {
    current = before;
  }
}

/** The innermost frame that belongs to the user, or null. */
export function callSite(mapper: SourceMapper): SourceLoc | null {
  return locate(captureFrames(), mapper);
}

/** The innermost of `frames` that belongs to the user, or null. */
export function locate(frames: readonly SourceLoc[], mapper: SourceMapper): SourceLoc | null {
  for (const frame of frames) {
    const loc = mapper.locate(frame);
    if (loc) return loc;
  }
  return null;
}

// Our own frames are at most six; the rest leaves room for functions of the user's around a call.
const frameLimit = 16;

/** The frames of the current call stack, innermost first. Empty in an engine that writes its stacks in another way. */
export function captureFrames(): readonly SourceLoc[] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = frameLimit;
  const { stack } = new Error();
  Error.stackTraceLimit = limit;
  return parseStack(stack ?? "");
}

/** Reads V8's `at name (file:line:column)` and `at file:line:column`. */
export function parseStack(stack: string): readonly SourceLoc[] {
  return stack.split("\n").flatMap((text) => {
    const match = /^\s*at (?:.*? \()?(.+?):(\d+):(\d+)\)?$/.exec(text);
    return match ? [{ file: pathOf(match[1]!), line: Number(match[2]), column: Number(match[3]) }] : [];
  });
}

function pathOf(file: string): string {
  return file.startsWith("file://") ? decodeURIComponent(new URL(file).pathname) : file;
}
