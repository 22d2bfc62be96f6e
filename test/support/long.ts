// Tests that take long for what they add: a page of ours in a second and a third engine, tuning on an emulated processor. CI has to end
// within minutes, so they are listed skips there, and `npm run test:long` runs them and leaves a record.

import { test } from "vitest";

/** Whether this run has them. */
export const isLong = process.env.TEST_LONG === "1";

/** Reason of the skip; null: they run. */
export const notNow = isLong ? null : "npm run test:long";

/** The same, for the end of a test's name. */
export const longNote = notNow === null ? "" : ` (${notNow})`;

/** A test that takes long. */
export const longTest = (name: string, body: () => unknown): void => test.skipIf(!isLong)(name + longNote, body);

/** Cases to draw of so many: half of them where somebody waits. */
export const fewer = (count: number): number => (isLong ? count : Math.ceil(count / 2));
