// Places of a store that cause a warning, by what a system would say of them.

import { expect, test } from "vitest";
import { type FolderFacts, type PlaceProbe, placeProblems } from "../../../src/tuner/store/store-place.ts";

const passwd = "root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\nbob:x:1001:1001::/home/bob:/bin/sh\n";
const group = "root:x:0:\nada:x:1000:\nbob:x:1001:\nteam:x:2000:ada,bob\n";

interface Given {
  readonly type?: number | null;
  readonly store?: Partial<FolderFacts>;
  readonly project?: Partial<FolderFacts>;
  readonly group?: string;
  readonly passwd?: string;
}

/** A system in which ada (1000) builds in /work/app. */
const probe = (given: Given): PlaceProbe => ({
  fileSystem: (path) => (path === "/work" ? (given.type ?? 0xef53) : null),
  folder: (path) => {
    const own: FolderFacts = { uid: 1000, gid: 1000, mode: 0o40755 };
    if (path === "/work/app") return { ...own, ...given.project };
    return path === "/work/app/.store/index-v5" ? { ...own, ...given.store } : null;
  },
  user: () => ({ uid: 1000, gid: 1000 }),
  groups: () => given.group ?? group,
  users: () => given.passwd ?? passwd,
});
const problems = (given: Given): readonly string[] =>
  placeProblems("/work/app/.store", "/work/app", probe(given)).map(({ text }) => text);

test("a local folder of one's own is no problem", () => {
  expect(problems({})).toEqual([]);
});

test.each([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  // The same number, as a system of 32 bits gives it.
  [0xff534d42 | 0, "CIFS"],
  [0x01021997, "9p"],
  [0x65735546, "FUSE"],
])("file system %i is named: %s", (type, name) => {
  expect(problems({ type })).toEqual([expect.stringContaining(`is on ${name},`)]);
});

test.each([0xef53, 0x58465342, 0x9123683e, 0x794c7630, 0x01021994])("file system %i is local", (type) => {
  expect(problems({ type })).toEqual([]);
});

test("a folder that everybody may write is said, be it sticky or not", () => {
  expect(problems({ store: { mode: 0o40777 } })).toEqual([expect.stringContaining("can be written by everybody")]);
  expect(problems({ store: { mode: 0o41777 } })).toEqual([expect.stringContaining("can be written by everybody")]);
});

test("a group with others in it is said; a group that its user has alone is not, as umask 002 makes it", () => {
  expect(problems({ store: { mode: 0o40775 } })).toEqual([]);
  expect(problems({ store: { mode: 0o40775, gid: 2000 } })).toEqual([
    expect.stringContaining("can be written by its group (2000)"),
  ]);
  expect(problems({ store: { mode: 0o40775 }, group: group.replace("ada:x:1000:", "ada:x:1000:bob") })).toHaveLength(1);
  const shared = passwd.replace("bob:x:1001:1001", "bob:x:1001:1000");
  expect(problems({ store: { mode: 0o40775 }, passwd: shared })).toHaveLength(1);
});

test("a user whom the files do not list, as in many containers, has its primary group alone", () => {
  expect(problems({ store: { mode: 0o40775 }, passwd: "", group: "" })).toEqual([]);
  expect(problems({ store: { mode: 0o40775, gid: 2000 }, passwd: "", group: "" })).toHaveLength(1);
});

test("a store of another user is said, unless the project is that user's, or root's", () => {
  expect(problems({ store: { uid: 1001 } })).toEqual([expect.stringContaining("belongs to another user (1001)")]);
  expect(problems({ store: { uid: 1001 }, project: { uid: 1001 } })).toEqual([]);
  expect(problems({ store: { uid: 0, gid: 0 } })).toEqual([]);
});

test("a system without owners and numbers of file systems says nothing", () => {
  const none: PlaceProbe = {
    fileSystem: () => null,
    folder: () => null,
    user: () => null,
    groups: () => "",
    users: () => "",
  };
  expect(placeProblems("C:\\app\\.store", "C:\\app", none)).toEqual([]);
});
