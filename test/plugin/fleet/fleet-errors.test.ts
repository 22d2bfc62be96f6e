// Errors of a fleet: packages that are not installed, and a loss while a kernel of another machine is tuned.

import { expect, test } from "vitest";
import { openFleet } from "../../../src/plugin/fleet/open-fleet.ts";
import { type FleetPackages, fleetPackages } from "../../../src/plugin/fleet/redis-connection.ts";
import { QueueLost } from "../../../src/tuner/fleet/queue.ts";
import { seal } from "../../../src/tuner/fleet/seal.ts";
import { createWorkbench } from "../../../src/tuner/workbench/workbench.ts";
import { writeApp } from "../../support/build-app.ts";
import { compileIn, gemmText } from "../../support/compile-app.ts";
import { memoryQueue } from "../../support/fleet/memory-queue.ts";
import { fakeClass } from "../../support/fleet/simulated.ts";

test("packages that are not installed", async () => {
  const missing = "bullmq-that-nobody-has";
  const load = async (): Promise<FleetPackages> => import(missing);
  await expect(fleetPackages(load)).rejects.toMatchObject({
    diagnostic: { code: "fleet.no-package", hint: "npm install --save-dev bullmq ioredis" },
  });
});

test("a kernel of another machine, whose fleet is lost", async () => {
  const queue = memoryQueue();
  const registration = { kind: "worker", id: "w", cores: 2, of: fakeClass("a") };
  const open = async () => ({ ...queue, workers: async () => [seal("worker", registration, null)] });
  const fleet = (await openFleet({ open, key: null, warn: () => {} }))!;
  const of = fleet.classes[0]!;
  const lost = compileIn(writeApp({ "src/gemm.op.ts": gemmText() }), {
    change: () => ({
      elsewhere: { fleet, of, isForeign: true, clock: () => performance.now(), onWait: () => {} },
      workbench: (options) => ({
        ...createWorkbench(options),
        byDecisions: {
          // biome-ignore lint/correctness/useYield: it is lost before the first
          async *measure() {
            throw new QueueLost("it went away");
          },
          race: () => Promise.reject(new QueueLost("it went away")),
        },
      }),
    }),
  });
  await expect(lost).rejects.toMatchObject({
    diagnostic: { code: "fleet.lost", message: expect.stringContaining("it went away") },
  });
});

test("a queue without workers, and one whose registrations are no registrations", async () => {
  const lines: string[] = [];
  const warn = (line: string): void => void lines.push(line);
  expect(await openFleet({ open: async () => memoryQueue(), key: null, warn })).toBeNull();
  const open = async () => ({ ...memoryQueue(), workers: async () => [seal("worker", { kind: "worker" }, null)] });
  expect(await openFleet({ open, key: null, warn })).toBeNull();
  expect(lines).toEqual([
    "the fleet has no workers; this machine measures itself",
    expect.stringMatching(/^no worker of the fleet can be used: body\.id must be .*; this machine measures itself$/),
  ]);
});
