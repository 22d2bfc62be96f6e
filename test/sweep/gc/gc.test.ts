// `cache gc` beside writers and readers, in small; `npm run test:gc` is the large one.

import { join } from "node:path";
import { expect } from "vitest";
import { inTurn } from "../../support/long.ts";
import { gcBesideUsers } from "./gc-beside-users.ts";
import { userScript } from "./user-script.ts";

const turn = inTurn(2);

const isRoot = process.getuid?.() === 0;
const kinds = [["as the same user", false] as const, ...(isRoot ? [["as another user", true] as const] : [])];

turn.skipIf(process.platform === "win32").each(kinds)(
  "gc beside three writers and three readers loses nothing, and they see hits and misses alone: %s",
  async (_, asOther) => {
    const { collections, removed, unreadable, hits, put, lost, errors } = await gcBesideUsers({
      script: await userScript(),
      cli: join(process.cwd(), "dist/cli.js"),
      decisions: 300,
      milliseconds: 3000,
      mostFiles: 200,
      asOther,
    });
    expect(errors).toEqual([]);
    expect(lost).toBe(0);
    expect(hits).toBeGreaterThan(0);
    expect(put).toBeGreaterThan(0);
    expect(collections).toBeGreaterThan(0);
    if (asOther) expect(unreadable).toBeGreaterThanOrEqual(300);
    else expect(removed).toBeGreaterThan(0);
  },
);
