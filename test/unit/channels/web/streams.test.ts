// Event streams: live, resumed without loss, kept alive, and ended when the client is gone or too slow.
import { beforeEach, describe, expect, it } from "vitest";
import { createStreams, type StreamEvent, type Streams } from "../../../../channels/web/client.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";

let clock: FakeClock;
let streams: Streams;
let gone: AbortController;

beforeEach(() => {
  clock = createFakeClock();
  streams = createStreams({ clock, maxStreams: 2 });
  gone = new AbortController();
});

const nothing = async (): Promise<readonly StreamEvent[]> => [];

function event(text: string, at: number): StreamEvent {
  return { name: "message", at, data: { text } };
}

/** Reads what the stream holds now. */
function reader(response: Response | null): () => Promise<string> {
  if (response?.body == null) throw new Error("no stream");
  const source = (response.body as ReadableStream<Uint8Array>).getReader();
  return async () => {
    const { done, value } = await source.read();
    return done ? "(end)" : new TextDecoder().decode(value);
  };
}

describe("a stream", () => {
  it("begins with the time to wait before coming back, then gives events with id and name", async () => {
    const read = reader(streams.open("main", gone.signal, nothing));
    await clock.advanceAsync(0);
    streams.publish("main", event("a\nb", 7));
    streams.publish("other", event("elsewhere", 8));
    streams.publish("main", { name: "message.updated", at: 5, data: {} });
    expect(await read()).toBe("retry: 2000\n\n");
    expect(await read()).toBe('id: 7\nevent: message\ndata: {"text":"a\\nb"}\n\n');
    // Its id never goes back.
    expect(await read()).toBe("id: 7\nevent: message.updated\ndata: {}\n\n");
  });

  it("gives what was missed first, and what happened meanwhile after it", async () => {
    let give = (_: readonly StreamEvent[]) => {};
    const replay = () => new Promise<readonly StreamEvent[]>((resolve) => (give = resolve));
    const read = reader(streams.open("main", gone.signal, replay));
    streams.publish("main", event("live", 9));
    give([event("missed", 3)]);
    await read();
    expect(await read()).toContain("missed");
    expect(await read()).toContain("live");
  });

  it("ends when the log cannot be read, so that the client asks again", async () => {
    const read = reader(streams.open("main", gone.signal, () => Promise.reject(new Error("locked"))));
    await read();
    expect(await read()).toBe("(end)");
    expect(streams.size()).toBe(0);
  });

  it("is kept alive by a comment every 15 seconds", async () => {
    const read = reader(streams.open("main", gone.signal, nothing));
    await read();
    clock.advance(15_000);
    clock.advance(15_000);
    expect([await read(), await read()]).toEqual([": alive\n\n", ": alive\n\n"]);
  });

  it("is cut when its client reads too slowly, and costs nothing afterwards", async () => {
    const read = reader(streams.open("main", gone.signal, nothing));
    await clock.advanceAsync(0);
    for (let n = 0; n < 40; n++) streams.publish("main", event("x".repeat(64 * 1024), n));
    await expect(read()).rejects.toThrow("too slowly");
    expect(streams.size()).toBe(0);
    expect(clock.pending()).toBe(0);
  });

  it("is forgotten when the client goes, or never was there", async () => {
    const response = streams.open("main", gone.signal, nothing);
    await response?.body?.cancel();
    expect([streams.size(), clock.pending()]).toEqual([0, 0]);
    streams.open("main", gone.signal, nothing);
    gone.abort();
    expect([streams.size(), clock.pending()]).toEqual([0, 0]);
    streams.open("main", AbortSignal.abort(), nothing);
    expect([streams.size(), clock.pending()]).toEqual([0, 0]);
  });

  it("is refused over the limit, and all end together", async () => {
    const first = reader(streams.open("main", gone.signal, nothing));
    streams.open("other", gone.signal, nothing);
    expect(streams.open("main", gone.signal, nothing)).toBeNull();
    await first();
    streams.closeAll();
    expect(await first()).toBe("(end)");
    expect(streams.size()).toBe(0);
  });
});
