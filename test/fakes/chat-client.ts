// A person at the Web API: posts commands, follows the events of a conversation, and waits for what should come.
import { expect } from "vitest";

export interface ChatMessage {
  readonly id: string;
  readonly thread?: string;
  readonly from: "person" | "bot";
  readonly visibility: "everyone" | "asker";
  readonly text: string;
  readonly card?: { readonly title: string; readonly tone: string; readonly blocks: readonly unknown[] };
  readonly createdAt: string;
  readonly editedAt?: string;
  readonly replies: readonly ChatMessage[];
}

export interface ChatEvent {
  readonly name: string;
  readonly message: ChatMessage;
}

export interface ChatClient {
  /** Every event so far, in order. */
  readonly events: readonly ChatEvent[];
  /** Posts a text; gives the ids of the answer. */
  say(text: string, language?: string): Promise<{ messageId: string; reviewId?: string }>;
  /** Posts a text and gives the answer as it is. */
  post(text: string): Promise<{ status: number; body: unknown }>;
  history(): Promise<readonly ChatMessage[]>;
  get(path: string): Promise<{ status: number; body: unknown }>;
  /** The first event that fits, of those that came and of those that will. */
  event(fits: (event: ChatEvent) => boolean): Promise<ChatEvent>;
  /** Waits until the review has one of these statuses. */
  review(id: string | undefined, ...statuses: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
  close(): void;
}

/** Opens the event stream of the conversation `main`; resolves once it is open. */
export async function joinChat(url: string): Promise<ChatClient> {
  const abort = new AbortController();
  const events: ChatEvent[] = [];
  const waiting = new Set<() => void>();
  const base = `${url}/api/conversations/main`;
  const stream = await fetch(`${base}/events`, { signal: abort.signal });
  expect(stream.status).toBe(200);
  const reading = read(stream, (name, data) => {
    if (!name.startsWith("message")) return;
    events.push({ name, message: JSON.parse(data) });
    for (const look of [...waiting]) look();
  });
  // The stream ends when the server or this client closes; both are meant.
  reading.catch(() => {});

  const get = async (path: string): Promise<{ status: number; body: unknown }> => {
    const answer = await fetch(`${url}${path}`);
    return { status: answer.status, body: await answer.json() };
  };
  const post = async (text: string, language = "en"): Promise<{ status: number; body: unknown }> => {
    const answer = await fetch(`${base}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "accept-language": language },
      body: JSON.stringify({ text }),
    });
    return { status: answer.status, body: await answer.json() };
  };

  const client: ChatClient = {
    events,
    post: (text) => post(text),
    get,
    async say(text, language) {
      const { status, body } = await post(text, language);
      expect(status).toBe(202);
      return body as { messageId: string; reviewId?: string };
    },
    history: async () => (await get("/api/conversations/main/messages?limit=200")).body as readonly ChatMessage[],
    event: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = events.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async review(id, ...statuses) {
      for (;;) {
        const { body } = await get(`/api/reviews/${id}`);
        const review = body as Readonly<Record<string, unknown>>;
        if (statuses.includes(String(review["status"]))) return review;
        await client.event(
          (
            (known) => () =>
              events.length > known
          )(events.length),
        );
      }
    },
    close: () => abort.abort(),
  };
  return client;
}

/** Reads Server-Sent Events until the stream ends. */
async function read(stream: Response, onEvent: (name: string, data: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end === -1) break;
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string): string =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? "";
      if (field("data") !== "") onEvent(field("event"), field("data"));
    }
  }
}
