// A chat platform over HTTP that is slow, forgetful of its answers, at its limit or broken now and then, and knows no idempotency.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface PostedMessage {
  readonly conversation: string;
  readonly thread?: string;
  readonly key: string;
  readonly title: string;
  readonly id: string;
}

export interface DrillPlatform {
  readonly url: string;
  /** As people see them, in the order in which they appeared. */
  readonly posted: readonly PostedMessage[];
  readonly counts: { lostAcks: number; refused: number; broken: number };
  /** From now on every request is answered as it should be. */
  heal(): void;
  close(): Promise<void>;
}

/** @param lagMs the longest time between a request's arrival and the message's appearance. */
export async function startDrillPlatform(lagMs: number, seed: number): Promise<DrillPlatform> {
  const posted: PostedMessage[] = [];
  const counts = { lostAcks: 0, refused: 0, broken: 0 };
  let troubled = true;
  let state = seed;
  /** A linear congruential generator: the same trouble for the same seed. */
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Omit<PostedMessage, "id">;
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.url === "/find") {
      const found = posted.find(({ conversation, key }) => conversation === asked.conversation && key === asked.key);
      return found === undefined ? answer(404, {}) : answer(200, { message: found.id });
    }
    if (asked.title.includes("huge")) return answer(413, {});
    const luck = troubled ? random() : 1;
    if (luck < 0.05) {
      counts.refused++;
      return answer(429, { retryAfterMs: "50" });
    }
    if (luck < 0.08) {
      counts.broken++;
      return answer(500, {});
    }
    // Once it has arrived it will appear, whatever becomes of the one who sent it.
    await delay(random() * lagMs);
    const id = `m${posted.length + 1}`;
    posted.push({ ...asked, id });
    if (luck < 0.13) {
      counts.lostAcks++;
      request.socket.destroy();
      return;
    }
    answer(200, { message: id });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    posted,
    counts,
    heal() {
      troubled = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
