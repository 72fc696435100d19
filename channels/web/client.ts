// The connections of the web chat: Server-Sent Events streams, their heartbeats, and the end of those that cannot keep up.
import type { Clock } from "../../src/ports/clock.ts";

export interface StreamEvent {
  readonly name: "message" | "message.updated" | "message.removed";
  /** When the change happened, ms since the epoch: the id by which a client resumes. */
  readonly at: number;
  readonly data: unknown;
}

export interface Streams {
  /**
   * Opens a stream on a conversation; null when too many are open.
   * Live events wait until `replay` has given what the client missed, so that it never sees an older state last.
   */
  open(conversation: string, signal: AbortSignal, replay: () => Promise<readonly StreamEvent[]>): Response | null;
  publish(conversation: string, event: StreamEvent): void;
  /** Ends every stream; the clients come back when the server does. */
  closeAll(): void;
  size(): number;
}

export interface StreamsOptions {
  readonly clock: Clock;
  readonly maxStreams: number;
}

/** Keeps proxies and browsers from taking a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000;
/** How long a browser waits before it connects again. */
const RETRY_MS = 2_000;
/** A client that lets so much wait is closed; it resumes by its last id. */
const MAX_WAITING_BYTES = 1024 * 1024;

interface Stream {
  write(text: string): void;
  close(): void;
  /** Events that wait for the end of the replay; null once it is over. */
  held: StreamEvent[] | null;
  lastId: number;
}

export function createStreams({ clock, maxStreams }: StreamsOptions): Streams {
  const rooms = new Map<string, Set<Stream>>();
  let open = 0;

  function leave(conversation: string, stream: Stream): void {
    const room = rooms.get(conversation);
    if (room?.delete(stream) !== true) return;
    open -= 1;
    if (room.size === 0) rooms.delete(conversation);
  }

  function enter(conversation: string, stream: Stream): void {
    const room = rooms.get(conversation);
    if (room === undefined) rooms.set(conversation, new Set([stream]));
    else room.add(stream);
    open += 1;
  }

  return {
    open(conversation, signal, replay) {
      if (open >= maxStreams) return null;
      const { stream, body } = createStream(clock, () => leave(conversation, stream));
      enter(conversation, stream);
      signal.addEventListener("abort", () => stream.close(), { once: true });
      if (signal.aborted) stream.close();
      stream.write(`retry: ${RETRY_MS}\n\n`);
      void replayThenFollow(stream, replay);
      return new Response(body, {
        headers: {
          "content-type": "text/event-stream; charset=utf-8",
          "cache-control": "no-store, no-transform",
          // Asks nginx to pass events on at once.
          "x-accel-buffering": "no",
        },
      });
    },
    publish(conversation, event) {
      for (const stream of rooms.get(conversation) ?? []) {
        if (stream.held !== null) stream.held.push(event);
        else writeEvent(stream, event);
      }
    },
    closeAll() {
      for (const room of [...rooms.values()]) for (const stream of [...room]) stream.close();
    },
    size: () => open,
  };
}

async function replayThenFollow(stream: Stream, replay: () => Promise<readonly StreamEvent[]>): Promise<void> {
  try {
    for (const event of await replay()) writeEvent(stream, event);
  } catch {
    // The log cannot be read now: the client comes back with the same last id and asks again.
    stream.close();
    return;
  }
  for (const event of stream.held ?? []) writeEvent(stream, event);
  stream.held = null;
}

function writeEvent(stream: Stream, event: StreamEvent): void {
  // Ids never go back, whatever the order in which changes arrive.
  stream.lastId = Math.max(stream.lastId, event.at);
  stream.write(`id: ${stream.lastId}\nevent: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`);
}

function createStream(
  clock: Clock,
  onClose: () => void,
): { readonly stream: Stream; readonly body: ReadableStream<Uint8Array> } {
  const encoder = new TextEncoder();
  let closed = false;
  let stopHeartbeat = () => {};
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  function finish(): boolean {
    if (closed) return false;
    closed = true;
    stopHeartbeat();
    onClose();
    return true;
  }

  const stream: Stream = {
    held: [],
    lastId: 0,
    write(text) {
      if (closed || controller === undefined) return;
      controller.enqueue(encoder.encode(text));
      // An error, not an end: what waits is dropped and the connection cut, instead of lingering until it is read.
      if ((controller.desiredSize ?? 0) <= 0 && finish()) controller.error(new Error("the client reads too slowly"));
    },
    close() {
      if (finish()) controller?.close();
    },
  };

  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      cancel() {
        finish();
      },
    },
    { highWaterMark: MAX_WAITING_BYTES, size: (chunk) => chunk.byteLength },
  );

  function beat(): void {
    stream.write(": alive\n\n");
    if (!closed) stopHeartbeat = clock.after(HEARTBEAT_MS, beat);
  }
  stopHeartbeat = clock.after(HEARTBEAT_MS, beat);
  return { stream, body };
}
