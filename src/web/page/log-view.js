// The log: keeps one entry a message in the order of time, the newest state of each, and threads beneath their roots.
import { cardBody, cardTitle, cardTone } from "./card-view.js";
import { element } from "./dom.js";
import { text, timeText } from "./texts.js";

/** @typedef {import("./api.js").Message} Message */

/** Replies that a thread shows before it asks; one more than that is shown too, rather than a button for it. */
const SHOWN_REPLIES = 6;

/**
 * @param {HTMLElement} log
 * @param {(message: string, token: string, button: HTMLButtonElement) => void} onAction
 */
export function createLogView(log, onAction) {
  /** @type {Map<string, Message>} */
  const messages = new Map();
  /** Roots of threads that the person has opened in full. @type {Set<string>} */
  const opened = new Set();

  /** @param {Message} message @returns {boolean} whether anything is new */
  function upsert(message) {
    const known = messages.get(message.id);
    // The list and the stream may cross: an older state never replaces a newer one.
    if (known !== undefined && (changedAt(known) > changedAt(message) || isSame(known, message))) return false;
    messages.set(message.id, message);
    const rendered = entryView(message);
    const present = document.getElementById(message.id);
    if (present === null) place(message, rendered);
    else replaceKeeping(present, rendered);
    if (message.thread === undefined) adoptOrphans(message.id);
    else foldThread(message.thread);
    return true;
  }

  /** @param {Message} message */
  function entryView(message) {
    const entry = element("li", { class: `entry ${message.from}`, id: message.id });
    if (message.visibility === "asker") entry.classList.add("private");
    entry.append(message.from === "person" ? saidView(message) : botView(message));
    return entry;
  }

  /** @param {Message} message */
  function botView(message) {
    const { card } = message;
    const titleId = `${message.id}-title`;
    const tag = message.thread === undefined ? "h2" : "h3";
    const title = element(tag, { class: "title", id: titleId }, card === undefined ? message.text : cardTitle(card));
    const head = element("header", { class: "head" }, title);
    if (message.visibility === "asker") {
      head.append(element("span", { class: "note only-you", "data-text": "onlyYou" }, text("onlyYou")));
    }
    if (message.editedAt !== undefined) {
      head.append(
        element("span", { class: "note", "data-text": "edited", title: timeText(message.editedAt) }, text("edited")),
      );
    }
    if (message.thread === undefined) head.append(timeView(message));
    const article = element("article", { class: "card", "aria-labelledby": titleId }, head);
    if (card !== undefined) {
      article.dataset["tone"] = cardTone(card);
      article.append(cardBody(card, (token, button) => onAction(message.id, token, button)));
    }
    return article;
  }

  /** @param {Message} message @param {HTMLElement} entry */
  function place(message, entry) {
    const parent = message.thread === undefined ? null : document.getElementById(message.thread);
    const list = parent === null ? log : threadOf(parent);
    // Almost always at the end; a message that comes late goes where its time belongs.
    const later = [...list.children].reverse().findLast((sibling) => isAfter(messages.get(sibling.id), message));
    list.insertBefore(entry, later ?? null);
  }

  /** @param {string} root */
  function adoptOrphans(root) {
    const orphans = [...log.children].filter((entry) => messages.get(entry.id)?.thread === root);
    const parent = document.getElementById(root);
    if (parent === null || orphans.length === 0) return;
    threadOf(parent).append(...orphans);
    foldThread(root);
  }

  /** @param {string} root */
  function foldThread(root) {
    const section = document.getElementById(root)?.querySelector(":scope > .thread");
    const list = section?.querySelector(":scope > ol");
    if (!section || !list) return;
    const replies = [...list.children];
    const isFolded = replies.length > SHOWN_REPLIES + 1 && !opened.has(root);
    for (const [index, reply] of replies.entries()) {
      reply.toggleAttribute("hidden", isFolded && index >= SHOWN_REPLIES);
    }
    section.querySelector(":scope > .thread-toggle")?.remove();
    if (replies.length <= SHOWN_REPLIES + 1) return;
    const counted = isFolded ? "showAll" : "showFewer";
    const toggle = element(
      "button",
      {
        class: "thread-toggle",
        type: "button",
        "aria-expanded": String(!isFolded),
        "data-count": String(replies.length),
        "data-counted": counted,
      },
      text(counted, replies.length),
    );
    toggle.addEventListener("click", () => {
      if (!opened.delete(root)) opened.add(root);
      foldThread(root);
      // The button was made anew: the keyboard's place must not be lost.
      /** @type {HTMLElement | null} */ (section.querySelector(":scope > .thread-toggle"))?.focus();
    });
    section.append(toggle);
  }

  /** @param {string} id */
  function remove(id) {
    const thread = messages.get(id)?.thread;
    messages.delete(id);
    document.getElementById(id)?.remove();
    if (thread !== undefined) foldThread(thread);
  }

  return {
    upsert,
    remove,
    /** Drops what the server no longer has. @param {ReadonlySet<string>} ids */
    keepOnly(ids) {
      for (const id of [...messages.keys()]) if (!ids.has(id)) remove(id);
    },
    /** What the person said, oldest first. */
    said: () =>
      [...messages.values()]
        .filter(({ from }) => from === "person")
        .sort(byTime)
        .map((message) => message.text),
    isEmpty: () => messages.size === 0,
  };
}

/** @param {Message} message */
function saidView(message) {
  const label = element("span", { class: "unseen", "data-text": "said" }, text("said"));
  return element("p", { class: "said" }, label, element("span", {}, message.text), timeView(message));
}

/** @param {Message} message */
function timeView({ createdAt }) {
  return element("time", { datetime: createdAt }, timeText(createdAt));
}

/** @param {HTMLElement} root */
function threadOf(root) {
  const present = root.querySelector(":scope > .thread > ol");
  if (present !== null) return present;
  const list = element("ol");
  root.append(element("section", { class: "thread", "aria-label": text("thread"), "data-label": "thread" }, list));
  return list;
}

/**
 * Replaces what a message shows and keeps its thread, and the keyboard's place if it was inside.
 * @param {HTMLElement} present
 * @param {HTMLElement} rendered
 */
function replaceKeeping(present, rendered) {
  const [shown] = present.children;
  const [fresh] = rendered.children;
  if (shown === undefined || fresh === undefined) return;
  const focusable = "a, button, pre, .scroll";
  const focused = [...shown.querySelectorAll(focusable)].indexOf(/** @type {Element} */ (document.activeElement));
  present.className = rendered.className;
  shown.replaceWith(fresh);
  if (focused < 0) return;
  const next = fresh.querySelectorAll(focusable)[focused];
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
}

/** @param {Message} message */
function changedAt({ createdAt, editedAt }) {
  return editedAt ?? createdAt;
}

/** @param {Message} a @param {Message} b */
function isSame(a, b) {
  return changedAt(a) === changedAt(b) && a.text === b.text && JSON.stringify(a.card) === JSON.stringify(b.card);
}

/** @param {Message | undefined} a @param {Message} b */
function isAfter(a, b) {
  return a !== undefined && byTime(a, b) > 0;
}

/** @param {Message} a @param {Message} b */
function byTime(a, b) {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
