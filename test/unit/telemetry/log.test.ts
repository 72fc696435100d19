// One JSON line a call; no secret passes, wherever in the fields it hides.
import { describe, expect, test } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Logger } from "../../../src/ports/logger.ts";
import { createLogger } from "../../../src/telemetry/log.ts";

type Line = Record<string, unknown>;

function capture(level: "debug" | "info" | "silent" = "debug"): {
  readonly logger: Logger;
  readonly lines: () => Line[];
  readonly raw: () => string;
} {
  const written: string[] = [];
  const logger = createLogger({ level, secrets: ["open sesame"], write: (line) => written.push(line) });
  return { logger, lines: () => written.map((line) => JSON.parse(line) as Line), raw: () => written.join("") };
}

test("a line has a level, a time, the event and the fields", () => {
  const { logger, lines } = capture();
  logger.child({ review: "rv_1" }).info("review.started", { repository: "game", files: 3 });
  expect(lines()).toEqual([
    {
      level: "info",
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      event: "review.started",
      review: "rv_1",
      repository: "game",
      files: 3,
    },
  ]);
});

test("levels below the configured one are not written, and silent writes nothing", () => {
  const info = capture("info");
  info.logger.debug("x");
  info.logger.error("y");
  expect(info.lines().map((line) => line["event"])).toEqual(["y"]);
  const silent = capture("silent");
  silent.logger.error("z");
  expect(silent.raw()).toBe("");
});

describe("secrets", () => {
  test("in texts, nested values, keys, maps, child fields and events", () => {
    const { logger, raw } = capture();
    const secret = "open sesame";
    logger.child({ a: secret }).warn(`event ${secret}`, {
      text: `x ${secret}`,
      nested: { list: [{ deep: secret }], [secret]: 1 },
      map: new Map([["k", secret]]),
      set: new Set([secret]),
      url: new URL("https://u:hunter2@example.com/"),
      password: "plain words",
      headers: { authorization: "whatever", Cookie: "a=b" },
    });
    expect(raw()).not.toContain(secret);
    for (const leaked of ["hunter2", "plain words", "whatever", "a=b"]) expect(raw()).not.toContain(leaked);
    expect(raw()).toContain("***");
  });

  test("in an error's message, stack, details and causes", () => {
    const { logger, lines, raw } = capture();
    const cause = new Error("git said: https://bot:hunter2@host/x");
    Object.assign(cause, { stderr: 'DB_PASSWORD="hunter2"' });
    const error = new AppError("auth", "open sesame was refused", { remedy: "r", detail: "token open sesame", cause });
    logger.error("failed", { error });
    expect(raw()).not.toMatch(/hunter2|open sesame/);
    expect(lines()[0]).toMatchObject({
      error: {
        type: "AppError",
        code: "auth",
        message: "*** was refused",
        cause: { type: "Error", message: "git said: https://bot:***@host/x" },
      },
    });
  });
});

test("odd values do not break the line", () => {
  const { logger, lines } = capture();
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const trap = Object.defineProperty({}, "x", {
    enumerable: true,
    get() {
      throw new Error("no");
    },
  });
  const shared = { v: 1 };
  logger.info("odd", {
    circle,
    trap,
    big: 10n,
    fn: () => 1,
    bytes: new Uint8Array(3),
    date: new Date(0),
    bad: new Date(Number.NaN),
    long: "x".repeat(40_000),
    many: Array.from({ length: 150 }, (_, i) => i),
    twice: [shared, shared],
    nothing: undefined,
  });
  expect(lines()[0]).toMatchObject({
    circle: { self: "[circular]" },
    trap: "[unreadable]",
    big: "10",
    fn: "[function]",
    bytes: "[3 bytes]",
    date: "1970-01-01T00:00:00.000Z",
    bad: null,
    twice: [{ v: 1 }, { v: 1 }],
  });
  const [line = {}] = lines();
  expect(line["many"]).toHaveLength(101);
  expect(line["many"]).toContain("[50 more]");
  expect(line["long"]).toHaveLength(16_385);
});
