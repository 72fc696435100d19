// A pressed button: at most one press at a time, and where the bot needs to know more, a small form in place of the buttons.
import { element } from "./dom.js";
import { text } from "./texts.js";

/** @typedef {import("./api.js").Fault} Fault */
/** @typedef {import("./api.js").Form} Form */
/** @typedef {(message: string, token: string, values?: Record<string, string>) => Promise<{fault?: Fault, form?: Form}>} Act */

let made = 0;

/** @param {{act: Act, onFault: (fault: Fault) => void}} ports */
export function createPress({ act, onFault }) {
  /**
   * @param {string} message
   * @param {string} token
   * @param {HTMLButtonElement} button
   */
  return async function press(message, token, button) {
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    const { fault, form } = await act(message, token);
    button.removeAttribute("aria-busy");
    if (fault !== undefined) onFault(fault);
    if (form !== undefined) open(message, form, button);
  };

  /**
   * @param {string} message
   * @param {Form} form
   * @param {HTMLButtonElement} button gets the keyboard's place back when the form closes
   */
  function open(message, form, button) {
    const row = button.closest(".actions");
    row?.parentElement?.querySelector(":scope > .ask")?.remove();
    const view = formView(form);
    row?.after(view);
    const field = view.querySelector("input, textarea");
    if (field instanceof HTMLElement) field.focus();
    const close = () => {
      view.remove();
      button.focus();
    };
    view.querySelector("[type=button]")?.addEventListener("click", close);
    view.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
    });
    view.addEventListener("submit", async (event) => {
      event.preventDefault();
      const values = Object.fromEntries([...new FormData(view)].map(([name, value]) => [name, String(value)]));
      const { fault, form: again } = await act(message, form.token, values);
      if (fault !== undefined) return onFault(fault);
      // What was not enough is asked again; else the outcome shows on the card itself, which may have been made anew by now.
      if (again !== undefined) return;
      if (view.isConnected) close();
      const card = document.getElementById(message)?.querySelector(".actions button");
      if (card instanceof HTMLElement && document.activeElement === document.body) card.focus({ preventScroll: true });
    });
  }
}

/** @param {Form} form */
function formView({ title, fields }) {
  const titleId = `ask-${++made}`;
  const inputs = fields.flatMap(({ name, label, multiline, required }) => {
    const id = `${titleId}-${name}`;
    const attributes = { id, name, required, maxlength: "500", autocomplete: "off" };
    const input = multiline ? element("textarea", attributes) : element("input", { ...attributes, type: "text" });
    return [element("label", { for: id }, label), input];
  });
  return element(
    "form",
    { class: "ask", "aria-labelledby": titleId },
    element("p", { id: titleId }, title),
    ...inputs,
    element(
      "button",
      { class: "action", "data-style": "primary", type: "submit", "data-text": "askSend" },
      text("askSend"),
    ),
    element("button", { class: "action", type: "button", "data-text": "askCancel" }, text("askCancel")),
  );
}
