// Whose leases end at a start: dead processes of this machine, and an earlier one of the same number.
import { expect, test } from "vitest";
import { recoverLeases, workerName } from "../../../src/app/recover-leases.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

test("ends the leases of processes that are gone, and leaves those of the living and of other machines", async () => {
  const ended: string[] = [];
  await recoverLeases({
    store: {
      leaseHolders: async () => ["here:1", "here:2", "here:7", "there:1", "cli", "here:x"],
      endLeases: async (workers) => {
        ended.push(...workers);
        return workers.length;
      },
    },
    host: "here",
    pid: 7,
    isAlive: (pid) => pid === 2 || pid === 7,
    clock: createFakeClock(),
    logger: silentLogger,
  });
  expect(ended).toEqual([workerName("here", 1), workerName("here", 7)]);
});
