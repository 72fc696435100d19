// Speaks to the Web API: messages out and in, buttons, completions, and the stream of events that comes back after a break.
import { language } from "./texts.js";

/** @typedef {import("../../../channels/web/render.ts").ApiMessage} Message */
/** @typedef {import("../../../channels/web/render.ts").ApiRootMessage} RootMessage */
/** @typedef {{message: string, remedy: string}} Fault */
/** @typedef {import("../../ports/channel.ts").ChannelForm} Form */
/** @typedef {"connecting" | "online" | "offline"} ConnectionState */

/** First and longest wait before connecting again, ms. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;

/** @type {Fault} */
const unreached = { message: "", remedy: "" };

/** @param {string} conversation */
export function createApi(conversation) {
  const base = `/api/conversations/${encodeURIComponent(conversation)}`;

  /**
   * @param {string} path
   * @param {unknown} body
   * @param {Record<string, string>} [headers]
   * @returns {Promise<Fault | null>} null when it was accepted; a fault without a message when the bot was not reached
   */
  async function post(path, body, headers = {}) {
    try {
      const answer = await fetch(`${base}/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "accept-language": language(), ...headers },
        body: JSON.stringify(body),
      });
      if (answer.ok) return null;
      return (await answer.json()).error;
    } catch {
      return unreached;
    }
  }

  return {
    /**
     * @param {string} said
     * @param {string} key the same key again posts once
     */
    say: (said, key) => post("messages", { text: said }, { "idempotency-key": key }),
    /**
     * @param {string} message
     * @param {string} token
     * @param {Record<string, string>} [values] of the form that was asked for
     * @returns {Promise<{fault?: Fault, form?: Form}>} a form when the bot needs to know more first
     */
    async act(message, token, values) {
      try {
        const answer = await fetch(`${base}/actions`, {
          method: "POST",
          headers: { "content-type": "application/json", "accept-language": language() },
          body: JSON.stringify({ message, token, values }),
        });
        const body = await answer.json();
        return answer.ok ? { form: body.form } : { fault: body.error };
      } catch {
        return { fault: unreached };
      }
    },
    /** @returns {Promise<RootMessage[]>} */
    async messages() {
      const answer = await fetch(`${base}/messages?limit=200`);
      if (!answer.ok) throw new Error(`messages: ${answer.status}`);
      return answer.json();
    },
    /**
     * @param {string} typed
     * @param {AbortSignal} signal
     * @returns {Promise<string[]>}
     */
    async suggestions(typed, signal) {
      const headers = { "accept-language": language() };
      const answer = await fetch(`${base}/suggestions?text=${encodeURIComponent(typed)}`, { headers, signal });
      return answer.ok ? answer.json() : [];
    },
    follow: (/** @type {Followers} */ followers) => follow(`${base}/events`, followers),
  };
}

/**
 * @typedef {object} Followers
 * @property {(state: ConnectionState) => void} onState
 * @property {() => Promise<void>} onOpen loads what happened before the stream began; a failure counts as a broken connection
 * @property {(message: Message) => void} onMessage appended or edited
 * @property {(id: string) => void} onRemoved
 */

/**
 * @param {string} url
 * @param {Followers} followers
 */
function follow(url, { onState, onOpen, onMessage, onRemoved }) {
  let wait = FIRST_WAIT_MS;
  /** @type {EventSource | undefined} */
  let source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  function connect() {
    clearTimeout(timer);
    source?.close();
    const stream = new EventSource(url);
    source = stream;
    stream.addEventListener("open", async () => {
      try {
        await onOpen();
        if (source !== stream) return;
        wait = FIRST_WAIT_MS;
        onState("online");
      } catch {
        again(stream);
      }
    });
    stream.addEventListener("error", () => again(stream));
    for (const name of ["message", "message.updated"]) {
      stream.addEventListener(name, (event) => onMessage(JSON.parse(/** @type {MessageEvent} */ (event).data)));
    }
    stream.addEventListener("message.removed", (event) => onRemoved(JSON.parse(event.data).id));
  }

  /** The browser's own way of coming back gives up on an HTTP error; ours does not. @param {EventSource} stream */
  function again(stream) {
    if (source !== stream) return;
    stream.close();
    source = undefined;
    onState("offline");
    // Spread, so that many pages do not come back in the same moment.
    timer = setTimeout(connect, wait * (0.75 + Math.random() / 2));
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }

  onState("connecting");
  connect();
  addEventListener("online", connect);
  addEventListener("pagehide", () => source?.close());
  addEventListener("pageshow", (event) => event.persisted && connect());
}
