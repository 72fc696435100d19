// A forgotten promise is logged and ends nothing.
import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { logStrayRejections } from "../../../src/cli/stray-rejections.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

it("logs what nobody caught until it is stopped", () => {
  const source = new EventEmitter();
  const said: unknown[] = [];
  const stop = logStrayRejections(source, { ...silentLogger, error: (...line) => void said.push(line) });
  const fault = new Error("malformed packet");
  source.emit("unhandledRejection", fault);
  source.emit("unhandledRejection", "a string that may hold a token");
  expect(said).toEqual([
    ["process.stray_rejection", { error: fault }],
    ["process.stray_rejection", { error: new Error("Rejected with string.") }],
  ]);
  stop();
  expect(source.listenerCount("unhandledRejection")).toBe(0);
});
