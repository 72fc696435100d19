// The chat page: joins the log, the composer and the connection, and the switches of language and theme.
import { createApi } from "./api.js";
import { createComposer } from "./composer.js";
import { byId, element } from "./dom.js";
import { createLogView } from "./log-view.js";
import { createPress } from "./press.js";
import { language, text, translate } from "./texts.js";

/** @typedef {import("./api.js").Message} Message */
/** @typedef {import("./texts.js").TextKey} TextKey */

/** @type {[line: string, meaning: TextKey][]} */
const examples = [
  ["/review demo HEAD", "exampleDemo"],
  ["/review . HEAD", "exampleHere"],
  ["help", "exampleHelp"],
];

/** How near the end counts as being there, px. */
const NEAR_END = 160;

const { room, message: wantedMessage } = addressed();
const welcome = byId("welcome", HTMLElement);
const chips = byId("chips", HTMLElement);
const connection = byId("connection", HTMLElement);
const announcer = byId("announcer", HTMLElement);
const jump = byId("jump", HTMLButtonElement);
const roomName = byId("room", HTMLElement);

const api = createApi(room);
const press = createPress({
  act: api.act,
  onFault: ({ message, remedy }) => composer.showProblem({ message: message || text("actionFailed"), remedy }),
});
const log = createLogView(byId("log", HTMLElement), press);
const composer = createComposer({ send: api.say, suggest: api.suggestions, history: log.said });

/** The conversation that the address names, and perhaps a message in it: `#main/ms_1`. */
function addressed() {
  const [, name = "main", message] =
    /^#([0-9A-Za-z][0-9A-Za-z_-]{0,63})(?:\/([a-z]{2}_[0-9A-Za-z]+))?$/.exec(location.hash) ?? [];
  return { room: name, message };
}

/** The first load is history, not news: it is neither announced nor followed step by step. */
let isLoaded = false;

async function load() {
  const wasAtEnd = isNearEnd();
  const roots = await api.messages();
  const ids = new Set(roots.flatMap((root) => [root.id, ...root.replies.map((reply) => reply.id)]));
  for (const root of roots) {
    log.upsert(root);
    for (const reply of root.replies) log.upsert(reply);
  }
  log.keepOnly(ids);
  showWelcome();
  if (!isLoaded) scrollTo(wantedMessage);
  else if (wasAtEnd) scrollToEnd();
  isLoaded = true;
}

/** @param {Message} message */
function receive(message) {
  const wasAtEnd = isNearEnd();
  const isKnown = document.getElementById(message.id) !== null;
  if (!log.upsert(message)) return;
  showWelcome();
  if (!isLoaded) return;
  if (message.from === "bot" && message.thread === undefined) announce(message);
  if (isKnown || message.thread !== undefined) {
    // A thread grows beneath its root: what one reads stays where it is.
    jump.hidden = isNearEnd();
    return;
  }
  if (wasAtEnd || message.from === "person") document.getElementById(message.id)?.scrollIntoView({ block: "nearest" });
  else jump.hidden = false;
}

/** @param {Message} message */
function announce({ card, text: words }) {
  announcer.textContent = card?.fallback || (words.split("\n", 1)[0] ?? "");
}

function showWelcome() {
  welcome.hidden = !log.isEmpty();
  chips.hidden = log.isEmpty();
}

function isNearEnd() {
  return document.documentElement.scrollHeight - innerHeight - scrollY < NEAR_END;
}

function scrollToEnd() {
  window.scrollTo({ top: document.documentElement.scrollHeight });
}

/** @param {string | undefined} id the message that the address names; without one the end */
function scrollTo(id) {
  const entry = id === undefined ? null : document.getElementById(id);
  if (entry === null) window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  else entry.scrollIntoView({ block: "start", behavior: "instant" });
}

/** @param {string} line */
function chip(line) {
  const button = element("button", { class: "chip", type: "button", translate: "no" }, line);
  button.addEventListener("click", () => composer.fill(line));
  return button;
}

/** @param {string} key @param {string | undefined} value */
function remember(key, value) {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage may be forbidden: the choice then lasts as long as the page.
  }
}

function setUpLanguage() {
  const select = byId("language", HTMLSelectElement);
  select.value = language();
  select.addEventListener("change", () => {
    document.documentElement.lang = select.value;
    remember("aicr.language", select.value);
    translate(document);
    showTheme();
    showConnection();
  });
}

const theme = byId("theme", HTMLButtonElement);
const root = document.documentElement;

function showTheme() {
  /** @type {TextKey} */
  const key =
    root.dataset["theme"] === "light" ? "themeLight" : root.dataset["theme"] === "dark" ? "themeDark" : "themeAuto";
  theme.title = text(key);
  theme.setAttribute("aria-label", text(key));
}

theme.addEventListener("click", () => {
  const next =
    { light: "dark", dark: undefined }[root.dataset["theme"] ?? ""] ??
    (root.dataset["theme"] === "dark" ? undefined : "light");
  if (next === undefined) delete root.dataset["theme"];
  else root.dataset["theme"] = next;
  remember("aicr.theme", next);
  showTheme();
});

function showConnection() {
  connection.textContent = text(/** @type {TextKey} */ (connection.dataset["state"]));
}

roomName.textContent = room;
roomName.hidden = room === "main";
/** @type {Map<string, Element[]>} */
const shownExamples = new Map(
  examples.map(([line, meaning]) => {
    const term = element("dt", {}, chip(line));
    const explanation = element("dd", { "data-text": meaning }, text(meaning));
    const short = chip(line);
    byId("examples", HTMLElement).append(term, explanation);
    chips.append(short);
    return [line, [term, explanation, short]];
  }),
);

/** A repository that this conversation does not see makes no example. */
async function keepPossibleExamples() {
  const offered = await api.suggestions("", AbortSignal.timeout(5_000)).catch(() => []);
  if (offered.length === 0) return;
  for (const [line, elements] of shownExamples) {
    const word = line.replace("/review ", "").split(" ", 1)[0] ?? "";
    if (offered.some((one) => one === word || one.startsWith(`${word} `))) continue;
    for (const one of elements) one.remove();
  }
}
jump.addEventListener("click", scrollToEnd);
addEventListener(
  "scroll",
  () => {
    if (isNearEnd()) jump.hidden = true;
  },
  { passive: true },
);
addEventListener("hashchange", () => {
  const wanted = addressed();
  if (wanted.room === room) scrollTo(wanted.message);
  else location.reload();
});
setUpLanguage();
translate(document);
void keepPossibleExamples();
showTheme();
// Not on a phone, where the focus would call up the keyboard and hide the page.
if (matchMedia("(pointer: fine)").matches) byId("composer-text", HTMLInputElement).focus({ preventScroll: true });

api.follow({
  onState(state) {
    connection.dataset["state"] = state;
    showConnection();
  },
  onOpen: load,
  onMessage: receive,
  onRemoved(id) {
    log.remove(id);
    showWelcome();
  },
});
