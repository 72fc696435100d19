// Only requests that name this machine, from no foreign page, with the token, get through.
import { describe, expect, it } from "vitest";
import { createGuard, isLoopback } from "../../../src/mcp/http-guard.ts";

describe("createGuard", () => {
  const guard = createGuard({ host: "127.0.0.1" });

  it.each(["127.0.0.1:3000", "localhost:3000", "LOCALHOST", "[::1]:3000", "127.0.0.1"])("accepts Host %s", (host) => {
    expect(guard({ host })).toEqual({ allowed: true });
  });

  it.each([
    "evil.example",
    "evil.example:3000",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "user@localhost",
    "localhost:3000:1",
    "",
    "localhost/",
  ])("refuses Host %j", (host) => {
    expect(guard({ host })).toMatchObject({ allowed: false, status: 403 });
  });

  it("refuses a request without Host", () => {
    expect(guard({})).toMatchObject({ allowed: false, status: 403 });
  });

  it.each(["http://localhost:6274", "http://127.0.0.1", "https://[::1]:8080"])("accepts Origin %s", (origin) => {
    expect(guard({ host: "localhost", origin })).toEqual({ allowed: true });
  });

  it.each(["https://evil.example", "null", "http://localhost.evil.example", "file://", "chrome-extension://abc", ""])(
    "refuses Origin %j",
    (origin) => {
      expect(guard({ host: "localhost", origin })).toMatchObject({ allowed: false, status: 403 });
    },
  );

  it("accepts what it was told to accept", () => {
    const wider = createGuard({
      host: "0.0.0.0",
      allowedHosts: ["tools.example.org"],
      allowedOrigins: ["https://tools.example.org"],
    });
    expect(wider({ host: "Tools.example.org:443", origin: "https://tools.example.org" })).toEqual({ allowed: true });
    expect(wider({ host: "other.example.org" })).toMatchObject({ allowed: false });
  });

  it("asks for the whole token", () => {
    const locked = createGuard({ host: "127.0.0.1", bearerToken: "s3cret" });
    const host = "localhost";
    expect(locked({ host, authorization: "Bearer s3cret" })).toEqual({ allowed: true });
    expect(locked({ host, authorization: "bearer s3cret " })).toEqual({ allowed: true });
    for (const authorization of [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      "Bearer s3cre",
      "Bearer s3crets",
      "Basic s3cret",
    ]) {
      expect(locked({ host, ...(authorization === undefined ? {} : { authorization }) })).toMatchObject({
        status: 401,
      });
    }
  });
});

it.each([
  ["127.0.0.1", true],
  ["127.1.2.3", true],
  ["localhost", true],
  ["::1", true],
  ["[::1]", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.168.1.1", false],
  ["127.0.0.1.nip.io", false],
])("isLoopback(%s) is %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
