// Builds elements from data; text only ever becomes text nodes, so that nothing a message says turns into markup.

/**
 * @typedef {Readonly<Record<string, string | boolean | undefined>>} Attributes `true` sets an empty attribute, `false` and undefined none
 */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

/**
 * An element of index.html; that it is there is the page's own promise.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new (...args: never[]) => T} kind
 * @returns {T}
 */
export function byId(id, kind) {
  const node = document.getElementById(id);
  if (!(node instanceof kind)) throw new Error(`#${id} is missing`);
  return node;
}

/**
 * Only addresses of the web become links; everything else stays text.
 * @param {string | undefined} url
 * @returns {string | undefined}
 */
export function safeUrl(url) {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return protocol === "https:" || protocol === "http:" ? href : undefined;
}

/**
 * @param {string} url a safe one
 * @param {Attributes} attributes
 * @param {(Node | string)[]} children
 */
export function link(url, attributes, ...children) {
  return element("a", { ...attributes, href: url, rel: "noopener noreferrer", target: "_blank" }, ...children);
}
