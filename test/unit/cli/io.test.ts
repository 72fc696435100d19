// The process's own terminal: its width where it has none, and what the two signals do.
import { afterEach, expect, test, vi } from "vitest";
import { createProcessIo } from "../../../src/cli/io.ts";

const width = Object.getOwnPropertyDescriptor(process.stdout, "columns");
afterEach(() => {
  if (width === undefined) Reflect.deleteProperty(process.stdout, "columns");
  else Object.defineProperty(process.stdout, "columns", width);
  process.removeAllListeners("SIGTERM").removeAllListeners("SIGINT");
});

test.each([
  [undefined, 80],
  [0, 80],
  [132, 132],
])("a terminal of %s columns is written to as one of %i", (columns, expected) => {
  Object.defineProperty(process.stdout, "columns", { value: columns, configurable: true });
  expect(createProcessIo().columns).toBe(expected);
});

test("the first signal aborts; then neither is listened to any more, so that the second ends the process", () => {
  const io = createProcessIo();
  const heard = vi.fn();
  io.signal.addEventListener("abort", heard);
  process.emit("SIGTERM");
  expect(heard).toHaveBeenCalledOnce();
  expect([process.listenerCount("SIGTERM"), process.listenerCount("SIGINT")]).toEqual([0, 0]);
});
