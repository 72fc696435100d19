// Gates that nothing passes with a secret in its texts: into the store, out to a chat.
import type { Channel, Inbox } from "../ports/channel.ts";
import type { Redactor } from "../ports/redactor.ts";
import type { Store } from "../ports/store.ts";
import { maskValues } from "./mask-values.ts";

/** What channels keep for themselves: sealed tokens and their own notes, which they must get back as they were. */
const channelsOwn: readonly (keyof Store)[] = [
  "claimEvent",
  "settleEvent",
  "releaseEvent",
  "acquireLease",
  "releaseLease",
  "saveInstallation",
  "installation",
  "installations",
  "revokeInstallation",
  "note",
  "saveNote",
];

/** The store with masked arguments. Reads are masked alike, so that what was written is found. */
export function maskStore(store: Store, redactor: Redactor): Store {
  return gate(store, redactor, new Set<string>(channelsOwn));
}

function gate<T extends object>(target: T, redactor: Redactor, untouched: ReadonlySet<string>): T {
  const made = new Map<string | symbol, unknown>();
  return new Proxy(target, {
    get(from, name) {
      const value: unknown = Reflect.get(from, name);
      if (made.has(name)) return made.get(name);
      const gated = wrap(from, name, value);
      made.set(name, gated);
      return gated;
    },
  });

  function wrap(from: T, name: string | symbol, value: unknown): unknown {
    if (typeof name === "string" && untouched.has(name)) return value;
    if (typeof value === "function") {
      return (...args: unknown[]) => value.apply(from, maskValues(args, redactor)) as unknown;
    }
    return typeof value === "object" && value !== null ? gate(value, redactor, untouched) : value;
  }
}

/** The channel with masked pages, files and forms; answers to commands are masked before the channel gets them. */
export function maskChannel(channel: Channel, redactor: Redactor): Channel {
  const masked = <T>(value: T): T => maskValues(value, redactor);
  return {
    name: channel.name,
    capabilities: channel.capabilities,
    routes: channel.routes,
    start: (inbox) => channel.start(maskInbox(inbox, masked)),
    stop: () => channel.stop(),
    health: () => masked(channel.health()),
    webhook: (request) => channel.webhook(request),
    send: (target, page, key) => channel.send(target, masked(page), key),
    edit: (ref, page) => channel.edit(ref, masked(page)),
    remove: (ref) => channel.remove(ref),
    attach: (target, file, key) => channel.attach(target, masked(file), key),
    react: (ref, kind) => channel.react(ref, kind),
    permalink: (ref) => channel.permalink(ref),
    ask: (trigger, form) => channel.ask(trigger, masked(form)),
    find: (target, key, since) => channel.find(target, key, since),
  };
}

function maskInbox(inbox: Inbox, masked: <T>(value: T) => T): Inbox {
  return {
    command: async (inbound) => masked(await inbox.command(inbound)),
    action: (inbound) => inbox.action(inbound),
    suggest: async (inbound) => masked(await inbox.suggest(inbound)),
    home: async (inbound) => masked(await inbox.home(inbound)),
    lifecycle: (inbound) => inbox.lifecycle(inbound),
  };
}
