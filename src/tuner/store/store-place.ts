// What is wrong with the place of a store: a network file system, or folders that others may write. Facts of the file system → sentences.
// Two calls of the system and a few looks at folders: a build asks once.

import { readFileSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** Owner and permissions of a folder. */
export interface FolderFacts {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/** Facts of the system; tests give others. */
export interface PlaceProbe {
  /** Number of the file system's type, as Linux has it; null: there is no such path, or the system has no such numbers. */
  fileSystem(path: string): number | null;
  /** Null: there is no such folder, or the system has no owners. */
  folder(path: string): FolderFacts | null;
  /** This process's user and its primary group; null where the system has none. */
  user(): { readonly uid: number; readonly gid: number } | null;
  /** Text of /etc/group and /etc/passwd; empty where there is none. */
  groups(): string;
  users(): string;
}

/** File systems of a network, or of another program: there renames, appends and deletions are seen late by others, or not whole. */
const distant: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x01021997, "9p"],
  [0x65735546, "FUSE"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x73757245, "Coda"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x19830326, "BeeGFS"],
  [0x786f4256, "a shared folder of VirtualBox"],
]);

export interface PlaceProblem {
  readonly kind: "network" | "foreign-writers" | "no-secret";
  /** What it is, and what to do. */
  readonly text: string;
}

/** Says what is wrong with a store's place; nothing for a store that does not exist and will be made in a good one. */
export function placeProblems(
  directory: string,
  root: string,
  probe: PlaceProbe = systemProbe,
): readonly PlaceProblem[] {
  const name = fileSystemName(directory, probe);
  const writers = foreignWriters(directory, root, probe);
  return [
    ...(name === null
      ? []
      : [
          {
            kind: "network" as const,
            text: `the store in ${directory} is on ${name}, where others' writes are seen late and deleted files return: name a local folder (cacheDir), and share by a remote store`,
          },
        ]),
    ...(writers === null
      ? []
      : [
          {
            kind: "foreign-writers" as const,
            text: `${writers}: whoever writes there may put kernels into your builds; take a folder of your own (cacheDir), or chmod -R go-w it`,
          },
        ]),
  ];
}

function fileSystemName(directory: string, probe: PlaceProbe): string | null {
  // The store may not be there yet: then the nearest folder above it says where it will lie.
  for (let path = directory; ; path = dirname(path)) {
    const type = probe.fileSystem(path);
    if (type !== null) return distant.get(type >>> 0) ?? null;
    if (dirname(path) === path) return null;
  }
}

/** Folders that a build reads from. */
const folders = ["", "index-v5", "content-v2", "addons"];

function foreignWriters(directory: string, root: string, probe: PlaceProbe): string | null {
  const user = probe.user();
  if (!user) return null;
  // Whoever owns the project may change its sources, so may change what is built; and root may do anything.
  const trusted = [user.uid, 0, probe.folder(root)?.uid];
  for (const path of folders.map((name) => join(directory, name))) {
    const facts = probe.folder(path);
    if (!facts) continue;
    if (!trusted.includes(facts.uid)) return `${path} belongs to another user (${facts.uid})`;
    if (facts.mode & 0o002) return `${path} can be written by everybody`;
    if (facts.mode & 0o020 && !isPrivate(facts.gid, facts.uid, probe))
      return `${path} can be written by its group (${facts.gid})`;
  }
  return null;
}

/**
 * Says whether a group has its owner alone: many systems give each user a group of their own, and make folders that it may write (umask
 * 002). Members stand in /etc/group, and in /etc/passwd those whose primary group it is.
 */
function isPrivate(gid: number, uid: number, probe: PlaceProbe): boolean {
  const users = probe.users();
  const owner = linesWith(users, uid).find(([, , id]) => id === String(uid));
  const primary = linesWith(users, gid)
    .filter(([, , , group]) => group === String(gid))
    .map(([name]) => name);
  const listed = linesWith(probe.groups(), gid)
    .filter(([, , id]) => id === String(gid))
    .flatMap(([, , , members = ""]) => members.split(",").filter((name) => name !== ""));
  const isOwners = owner ? owner[3] === String(gid) : probe.user()?.uid === uid && probe.user()?.gid === gid;
  return isOwners && [...primary, ...listed].every((name) => name === owner?.[0]);
}

/** Fields of the lines that have a number for a field. Other lines are not taken apart: a directory service may list thousands of users. */
function linesWith(text: string, id: number): readonly string[][] {
  const field = `:${id}`;
  const lines: string[][] = [];
  for (let at = text.indexOf(field); at >= 0; at = text.indexOf(field, at)) {
    const next = text[at + field.length];
    at += field.length;
    // A longer number that only starts like this one.
    if (next !== undefined && next !== ":" && next !== "\n") continue;
    const end = text.indexOf("\n", at);
    lines.push(text.slice(text.lastIndexOf("\n", at - 1) + 1, end < 0 ? undefined : end).split(":", 4));
    if (end < 0) break;
    at = end;
  }
  return lines;
}

const systemProbe: PlaceProbe = {
  fileSystem: (path) => (process.platform === "linux" ? orNull(() => statfsSync(path).type) : null),
  folder: (path) => orNull(() => statSync(path)),
  user() {
    const [uid, gid] = [process.getuid?.(), process.getgid?.()];
    return uid === undefined || gid === undefined ? null : { uid, gid };
  },
  groups: () => orNull(() => readFileSync("/etc/group", "utf8")) ?? "",
  users: () => orNull(() => readFileSync("/etc/passwd", "utf8")) ?? "",
};

function orNull<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return null;
  }
}
