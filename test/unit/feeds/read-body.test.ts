// Bodies under their two caps: what is held is counted, and given back whatever happens.
import { describe, expect, it } from "vitest";
import { toResponse } from "../../../channels/kit/answers.ts";
import type { PlainAnswer } from "../../../channels/kit/plain.ts";
import { createBodyReader } from "../../../src/feeds/read-body.ts";
import { plainRequest } from "./web-request.ts";

function post(body: string | ReadableStream<Uint8Array>, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request("http://127.0.0.1/", { method: "POST", body, headers, duplex: "half" } as RequestInit);
}

/** Chunks of ten bytes; `pulled` counts those that were asked for. */
function chunks(count: number): { stream: ReadableStream<Uint8Array>; pulled: () => number } {
  let pulled = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulled += 1;
        controller.enqueue(Buffer.from("0123456789"));
        if (pulled === count) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, pulled: () => pulled };
}

const echo = async (bytes: Buffer): Promise<PlainAnswer> => ({ status: 200, headers: {}, body: bytes.toString() });

async function read(request: Request, bodies = createBodyReader(25, 40)) {
  const answer = toResponse(await bodies.read(plainRequest(request), echo));
  return { status: answer.status, text: await answer.text() };
}

describe("a body", () => {
  it("is read with a length or without", async () => {
    expect(await read(post("ten bytes.", { "content-length": "10" }))).toEqual({ status: 200, text: "ten bytes." });
    expect(await read(post(chunks(2).stream))).toEqual({ status: 200, text: "01234567890123456789" });
    expect(await read(post(""))).toEqual({ status: 200, text: "" });
  });

  it("is refused by its length, unread", async () => {
    const request = post("x", { "content-length": "26" });
    expect((await read(request)).status).toBe(413);
    expect(request.bodyUsed).toBe(false);
  });

  it("without an end is read no further than the cap", async () => {
    const { stream, pulled } = chunks(Number.POSITIVE_INFINITY);
    expect((await read(post(stream))).status).toBe(413);
    expect(pulled()).toBe(3);
  });

  it("that breaks off is the sender's fault", async () => {
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("reset")) });
    expect((await read(post(broken))).status).toBe(400);
  });
});

it("all bodies together are capped; what was held is free again, also after a fault", async () => {
  const bodies = createBodyReader(25, 40);
  const full = () => post("x".repeat(25), { "content-length": "25" });
  let release: (() => void) | undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = bodies.read(plainRequest(full()), async () => {
    await released;
    throw new Error("the disk is full");
  });
  const second = await bodies.read(plainRequest(full()), echo);
  expect([second.status, second.headers["retry-after"]]).toEqual([503, "5"]);
  release?.();
  await expect(first).rejects.toThrow("the disk is full");
  expect((await bodies.read(plainRequest(full()), echo)).status).toBe(200);
});
