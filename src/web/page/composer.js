// The composer: sends a line, brings back earlier ones, completes while one types, and keeps the line when sending fails.
import { byId, element } from "./dom.js";
import { text } from "./texts.js";

/** @typedef {import("./api.js").Fault} Fault */

/** Pause after a key before completions are asked for, ms. */
const SUGGEST_AFTER_MS = 120;
const MAX_SUGGESTIONS = 8;

/**
 * @param {object} ports
 * @param {(said: string, key: string) => Promise<Fault | null>} ports.send
 * @param {(typed: string, signal: AbortSignal) => Promise<string[]>} ports.suggest
 * @param {() => string[]} ports.history oldest first
 */
export function createComposer({ send, suggest, history }) {
  const form = byId("composer", HTMLFormElement);
  const input = byId("composer-text", HTMLInputElement);
  const problem = byId("problem", HTMLElement);
  const list = byId("suggestions", HTMLElement);
  const button = /** @type {HTMLElement} */ (form.querySelector(".send"));

  /** Kept until the line is accepted or changed, so that sending it again cannot post it twice. @type {string | undefined} */
  let key;
  let isSending = false;
  /** How many lines back the person has gone; 0 is their own draft. */
  let back = 0;
  let draft = "";
  let selected = -1;
  let asking = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let pause;

  async function submit() {
    const said = input.value.trim();
    if (said === "" || isSending) return;
    closeList();
    isSending = true;
    button.setAttribute("aria-disabled", "true");
    key ??= randomKey();
    const fault = await send(said, key);
    isSending = false;
    button.setAttribute("aria-disabled", "false");
    showProblem(fault);
    if (fault !== null) return;
    key = undefined;
    // What was typed while the line was on its way stays.
    if (input.value.trim() === said) input.value = "";
    back = 0;
    draft = "";
  }

  /** @param {Fault | null} fault */
  function showProblem(fault) {
    problem.hidden = fault === null;
    if (fault === null) return;
    problem.textContent = `${fault.message || text("sendFailed")} ${fault.remedy || text("sendFailedRemedy")}`;
  }

  /** @param {number} step 1 is further back */
  function recall(step) {
    const lines = history();
    const next = back + step;
    if (next < 0 || next > lines.length) return;
    if (back === 0) draft = input.value;
    back = next;
    input.value = back === 0 ? draft : (lines.at(-back) ?? "");
    key = undefined;
    input.setSelectionRange(input.value.length, input.value.length);
  }

  function closeList() {
    clearTimeout(pause);
    asking.abort();
    list.hidden = true;
    selected = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  async function openList() {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    const typed = input.value;
    if (typed.trim() === "") return;
    try {
      const found = await suggest(typed, signal);
      if (!signal.aborted) showList(found.slice(0, MAX_SUGGESTIONS));
    } catch {
      // Completions are a courtesy; without them one types on.
    }
  }

  /** @param {string[]} lines */
  function showList(lines) {
    if (lines.length === 0) {
      closeList();
      return;
    }
    list.replaceChildren(...lines.map((line, index) => optionView(line, index)));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    select(-1);
  }

  /** @param {string} line @param {number} index */
  function optionView(line, index) {
    const option = element("div", { role: "option", id: `suggestion-${index}`, "aria-selected": "false" }, line);
    // Before the field loses the focus.
    option.addEventListener("mousedown", (event) => {
      event.preventDefault();
      take(line);
    });
    return option;
  }

  /** @param {number} index -1 for none */
  function select(index) {
    selected = index;
    [...list.children].forEach((option, at) => {
      option.setAttribute("aria-selected", String(at === index));
      if (at === index) option.scrollIntoView({ block: "nearest" });
    });
    if (index < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `suggestion-${index}`);
  }

  /** @param {string} line */
  function take(line) {
    input.value = line;
    key = undefined;
    closeList();
    input.focus();
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was for the list */
  function listKey(event) {
    const options = list.children.length;
    if (list.hidden || options === 0) return false;
    const line = list.children[selected]?.textContent;
    switch (event.key) {
      case "ArrowDown":
        select(selected + 1 >= options ? -1 : selected + 1);
        return true;
      case "ArrowUp":
        select(selected < 0 ? options - 1 : selected - 1);
        return true;
      case "Escape":
        closeList();
        return true;
      case "Tab":
        if (event.shiftKey) return false;
        take(line ?? list.children[0]?.textContent ?? input.value);
        return true;
      case "Enter":
        if (line === undefined || line === null) return false;
        take(line);
        return true;
      default:
        return false;
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
  input.addEventListener("keydown", (event) => {
    // Enter and the arrows belong to the input method while it composes a word.
    if (event.isComposing) return;
    const isRecall = event.key === "ArrowUp" || event.key === "ArrowDown";
    if (listKey(event)) event.preventDefault();
    else if (isRecall) {
      event.preventDefault();
      recall(event.key === "ArrowUp" ? 1 : -1);
    }
  });
  input.addEventListener("input", (event) => {
    key = undefined;
    back = 0;
    problem.hidden = true;
    clearTimeout(pause);
    if (/** @type {InputEvent} */ (event).isComposing) return;
    if (input.value.trim() === "") closeList();
    else pause = setTimeout(openList, SUGGEST_AFTER_MS);
  });
  input.addEventListener("blur", closeList);

  return { fill: take, showProblem };
}

function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
