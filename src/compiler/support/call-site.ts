// Finds the place in the user's file from which a function of the language was called: call stack → SourceLoc.

import type { SourceLoc } from "./source-loc.ts";

export type Around = readonly [before: string, after: string];

/** Turns a frame of the running program into a place in the file that the user wrote. */
export interface SourceMapper {
  /** Place in the user's code; null if the frame is not in it: the next outer frame is asked. */
  locate(frame: SourceLoc): SourceLoc | null;
  /** The text of that line, for a code frame; null if it is not known. */
  line(loc: SourceLoc): string | null;
  /** The text of the running line before the place of a frame, and from there on; null if it is not known. */
  around?(frame: SourceLoc): Around | null;
}

/** Mapper that maps nothing: our own frames and Node's are not the user's. */
export const plainMapper: SourceMapper = {
  locate: (frame) => (ownFolders.some((folder) => frame.file.startsWith(folder)) ? null : frame),
  line: () => null,
};

// Our own folders: in the source tree those beside this one, in the published package the one of all bundles.
const folderOf = (relative: string): string => pathOf(new URL(relative, import.meta.url).href);
const languageFolders: readonly string[] = ["../expr/", "../instance/", "../ops/"];
const ownFolders: readonly string[] = [folderOf("."), ...languageFolders.map(folderOf), "node:"];

let current: SourceMapper = plainMapper;

/** The mapper of the operator file that is being evaluated. */
export const currentMapper = (): SourceMapper => current;

/** Runs `body` with another mapper, and restores the one before when `body` returns or throws. */
export function withMapper<T>(mapper: SourceMapper, body: () => T): T {
  const before = current;
  current = mapper;
  try {
    return body();
  } finally {
    current = before;
  }
}

/** The innermost frame that belongs to the user, or null. Called for every expression, so it reads no frame in vain. */
export const callSite = (mapper: SourceMapper): SourceLoc | null => firstFrame((frame) => mapper.locate(frame));

/** The text around the place that is running in the innermost frame of the user's; null if it is not known. */
export const callSiteText = (mapper: SourceMapper): Around | null =>
  firstFrame((frame) => mapper.locate(frame) && { text: mapper.around?.(frame) ?? null })?.text ?? null;

function firstFrame<T>(of: (frame: SourceLoc) => T | null): T | null {
  for (const line of stackLines()) {
    const frame = parseFrame(line);
    const found = frame && of(frame);
    if (found) return found;
  }
  return null;
}

/** The innermost of `frames` that belongs to the user, or null. */
export function locate(frames: readonly SourceLoc[], mapper: SourceMapper): SourceLoc | null {
  for (const frame of frames) {
    const loc = mapper.locate(frame);
    if (loc) return loc;
  }
  return null;
}

/** The frames of the current call stack, innermost first. */
export const captureFrames = (): readonly SourceLoc[] => framesOf(stackLines());

/** The frames of a stack, as `error.stack` gives it. */
export const parseStack = (stack: string): readonly SourceLoc[] => framesOf(stack.split("\n"));

const framesOf = (lines: readonly string[]): readonly SourceLoc[] =>
  lines.map(parseFrame).filter((frame) => frame !== null);

// Up to thirteen frames of our own lie between a call of the user and this place (for a constant in an operand).
const frameLimit = 20;

function stackLines(): readonly string[] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = frameLimit;
  const { stack } = new Error();
  Error.stackTraceLimit = limit;
  return (stack ?? "").split("\n");
}

/** Reads V8's `at name (file:line:column)` and `at file:line:column`, and `name@file:line:column` of Firefox and Safari. */
function parseFrame(text: string): SourceLoc | null {
  const match = /^(?:\s*at (?:.*? \()?|[^@:(]*@)(.+?):(\d+):(\d+)\)?$/.exec(text);
  return match && { file: pathOf(match[1]!), line: Number(match[2]), column: Number(match[3]) };
}

function pathOf(file: string): string {
  if (!file.startsWith("file://")) return file;
  return file.includes("%") ? decodeURIComponent(new URL(file).pathname) : file.slice("file://".length);
}
