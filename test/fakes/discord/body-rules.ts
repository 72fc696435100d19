// What Discord refuses though its own description allows it, and what we never send: rules for every body that goes to Discord.

type Json = Readonly<Record<string, unknown>>;

export interface BodyContext {
  /** Names of the files that go along. */
  readonly files?: readonly string[];
  /** `interaction`: through an interaction's token, where a message may be for one person alone. */
  readonly via: "bot" | "interaction";
  /** An edit leaves out what stays. */
  readonly isEdit?: boolean;
}

export const EPHEMERAL = 1 << 6;
export const SUPPRESS_NOTIFICATIONS = 1 << 12;
export const COMPONENTS_V2 = 1 << 15;

/** More than this, processed, was answered with 500 (discord-api-docs#8554). */
export const MAX_V2_BYTES = 10_170;

const V2_TYPES: ReadonlySet<unknown> = new Set([9, 10, 11, 12, 13, 14, 17]);
const MAX_COMPONENTS = 40;
const MAX_V2_TEXT = 4_000;
const MAX_CONTENT = 2_000;
const MAX_EMBED_TEXT = 6_000;
const MAX_LEGACY_ROWS = 5;

/** A message to create or edit: what is wrong with it, a sentence each. */
export function messageMistakes(body: Json, { files = [], via, isEdit = false }: BodyContext): readonly string[] {
  const flags = typeof body["flags"] === "number" ? body["flags"] : 0;
  const components = list(body["components"]);
  const embeds = list(body["embeds"]);
  const content = text(body["content"]);
  const isV2 = (flags & COMPONENTS_V2) !== 0;
  const mistakes = [
    ...mentionMistakes(body["allowed_mentions"]),
    ...flagMistakes(flags, via),
    ...fileMistakes(body, files),
    ...nonceMistakes(body),
    ...componentMistakes(components),
    ...(isV2 ? v2Mistakes(body, components, files) : legacyMistakes(components, embeds, content)),
  ];
  const isEmpty = content === "" && embeds.length === 0 && components.length === 0 && files.length === 0;
  if (isEmpty && !isEdit) mistakes.push("the message is empty");
  return mistakes;
}

/** Whether a V2 message is so large that Discord breaks over it. */
export function breaksDiscord(body: Json): boolean {
  const flags = typeof body["flags"] === "number" ? body["flags"] : 0;
  const isV2 = (flags & COMPONENTS_V2) !== 0;
  return isV2 && Buffer.byteLength(JSON.stringify(body["components"] ?? [])) > MAX_V2_BYTES;
}

/** Our own rule: no body leaves what may ping to Discord's defaults, which would let everything ping. */
function mentionMistakes(given: unknown): readonly string[] {
  if (typeof given !== "object" || given === null) return ["allowed_mentions is missing"];
  const { parse, users, roles, replied_user: repliedUser } = given as Json;
  const mistakes: string[] = [];
  if (!Array.isArray(parse)) mistakes.push("allowed_mentions.parse is missing");
  else if (parse.length > 0) mistakes.push("allowed_mentions.parse lets something ping");
  if (Array.isArray(parse) && parse.includes("users") && list(users).length > 0) {
    mistakes.push("allowed_mentions has users twice");
  }
  if (list(roles).length > 0) mistakes.push("allowed_mentions.roles lets roles ping");
  if (repliedUser === true) mistakes.push("allowed_mentions.replied_user pings");
  return mistakes;
}

function flagMistakes(flags: number, via: BodyContext["via"]): readonly string[] {
  const allowed = COMPONENTS_V2 | SUPPRESS_NOTIFICATIONS | (1 << 2) | (via === "interaction" ? EPHEMERAL : 0);
  return (flags & ~allowed) === 0 ? [] : [`flags has ${flags & ~allowed}`];
}

function fileMistakes(body: Json, files: readonly string[]): readonly string[] {
  if (body["attachments"] === undefined) return [];
  const listed = objects(body["attachments"]);
  const unknown = listed.filter(({ id }) => Number(id) < 1_000 && Number(id) >= files.length);
  const misnamed = listed.filter(
    ({ id, filename }) => files[Number(id)] !== undefined && filename !== files[Number(id)],
  );
  return [
    ...unknown.map(({ id }) => `attachments names file ${String(id)}, which did not come`),
    ...misnamed.map(({ id }) => `attachments gives file ${String(id)} another name`),
  ];
}

function nonceMistakes(body: Json): readonly string[] {
  const { nonce, enforce_nonce: isEnforced } = body;
  if (isEnforced === true && nonce === undefined) return ["enforce_nonce without nonce"];
  return typeof nonce === "string" && (nonce.length > 25 || nonce === "") ? ["nonce has more than 25 characters"] : [];
}

/** Rules of components in both kinds of messages. */
function componentMistakes(components: readonly Json[]): readonly string[] {
  const all = nested(components);
  const mistakes: string[] = [];
  const customIds = all.flatMap(({ custom_id: id }) => (typeof id === "string" ? [id] : []));
  if (new Set(customIds).size !== customIds.length) mistakes.push("a custom_id stands twice");
  const ids = all.flatMap(({ id }) => (typeof id === "number" && id !== 0 ? [id] : []));
  if (new Set(ids).size !== ids.length) mistakes.push("a component id stands twice");
  for (const { type, style, url, custom_id: customId, label, emoji } of all) {
    if (type !== 2) continue;
    if (style === 5 && customId !== undefined) mistakes.push("a link button has a custom_id");
    if (style === 5 && !/^(?:https?|discord):\/\//.test(text(url))) mistakes.push("a link button leads nowhere");
    if (style !== 5 && text(customId) === "") mistakes.push("a button has no custom_id");
    if (style !== 5 && url !== undefined) mistakes.push("a button has both custom_id and url");
    if (text(label) === "" && emoji === undefined) mistakes.push("a button has neither label nor emoji");
  }
  return mistakes;
}

function v2Mistakes(body: Json, components: readonly Json[], files: readonly string[]): readonly string[] {
  const mistakes: string[] = [];
  for (const key of ["content", "embeds", "poll", "sticker_ids"]) {
    const value = body[key];
    const isEmpty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) mistakes.push(`V2 with ${key}`);
  }
  const all = nested(components);
  if (components.length === 0) mistakes.push("V2 without components");
  if (all.length > MAX_COMPONENTS) mistakes.push(`${all.length} components, more than ${MAX_COMPONENTS}`);
  const texts = all.flatMap(({ type, content }) => (type === 10 ? [text(content)] : []));
  const total = texts.reduce((sum, one) => sum + one.length, 0);
  if (total > MAX_V2_TEXT) mistakes.push(`${total} characters of text, more than ${MAX_V2_TEXT}`);
  if (texts.some((one) => one.trim() === "")) mistakes.push("a text display without text");
  for (const { type, file, items } of all) {
    const media = [...(type === 13 ? [file] : []), ...list(items).map((item) => (item as Json)["media"])];
    for (const one of media) {
      const url = text((one as Json | undefined)?.["url"]);
      const name = /^attachment:\/\/(.+)$/.exec(url)?.[1];
      if (type === 13 && name === undefined) mistakes.push("a file that is no attachment");
      if (name !== undefined && !files.includes(name)) mistakes.push(`the attachment ${name} did not come`);
    }
  }
  return mistakes;
}

function legacyMistakes(components: readonly Json[], embeds: readonly Json[], content: string): readonly string[] {
  const mistakes: string[] = [];
  if (content.length > MAX_CONTENT) mistakes.push(`content has ${content.length} characters`);
  if (components.length > MAX_LEGACY_ROWS) mistakes.push(`${components.length} rows`);
  if (nested(components).some(({ type }) => V2_TYPES.has(type))) mistakes.push("V2 components without the flag");
  let total = 0;
  for (const embed of embeds) {
    const fields = objects(embed["fields"]);
    const named = [
      embed["title"],
      embed["description"],
      nameOf(embed["footer"], "text"),
      nameOf(embed["author"], "name"),
    ];
    total += [...named, ...fields.flatMap(({ name, value }) => [name, value])].reduce<number>(
      (sum, one) => sum + text(one).length,
      0,
    );
    if (fields.some(({ name, value }) => text(name).trim() === "" || text(value).trim() === "")) {
      mistakes.push("an embed field without name or value");
    }
  }
  if (total > MAX_EMBED_TEXT) mistakes.push(`embeds have ${total} characters together`);
  return mistakes;
}

/** An answer to an interaction. */
export function callbackMistakes(body: Json): readonly string[] {
  const data = (body["data"] ?? {}) as Json;
  switch (body["type"]) {
    case 4:
    case 7:
      return messageMistakes(data, { via: "interaction", isEdit: body["type"] === 7 });
    case 5: {
      const flags = typeof data["flags"] === "number" ? data["flags"] : 0;
      return (flags & ~EPHEMERAL) === 0 ? [] : ["a deferral may be private, and nothing else"];
    }
    case 9: {
      const ids = nested(objects(data["components"])).flatMap(({ custom_id: id }) =>
        typeof id === "string" ? [id] : [],
      );
      return [
        ...(text(data["title"]).length > 45 ? ["a form's title has more than 45 characters"] : []),
        ...(text(data["custom_id"]) === "" ? ["a form without custom_id"] : []),
        ...(list(data["components"]).length > 5 ? ["a form with more than five fields"] : []),
        ...(new Set(ids).size === ids.length ? [] : ["a custom_id stands twice"]),
      ];
    }
    default:
      return [];
  }
}

/** A command to register. */
export function commandMistakes(command: Json): readonly string[] {
  const mistakes: string[] = [];
  let characters = 0;
  visit(command, true);
  if (characters > 8_000) mistakes.push(`${text(command["name"])}: ${characters} characters together`);
  return mistakes;

  function visit(option: Json, isCommand: boolean): void {
    const name = text(option["name"]);
    characters += name.length + text(option["description"]).length;
    const isChatInput = !isCommand || (option["type"] ?? 1) === 1;
    if (isChatInput && !/^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u.test(name)) mistakes.push(`${name}: no name`);
    if (isChatInput && name !== name.toLowerCase()) mistakes.push(`${name}: has capitals`);
    const choices = objects(option["choices"]);
    if (option["autocomplete"] === true && choices.length > 0) mistakes.push(`${name}: choices and autocomplete`);
    for (const choice of choices) characters += text(choice["name"]).length + text(choice["value"]).length;
    const options = objects(option["options"]);
    const names = options.map((one) => one["name"]);
    if (new Set(names).size !== names.length) mistakes.push(`${name}: an option stands twice`);
    const firstOptional = options.findIndex(({ type, required }) => required !== true && type !== 1 && type !== 2);
    const lastRequired = options.findLastIndex(({ required }) => required === true);
    if (firstOptional !== -1 && lastRequired > firstOptional)
      mistakes.push(`${name}: a required option after an optional one`);
    const kinds = new Set(options.map(({ type }) => type === 1 || type === 2));
    if (kinds.size > 1) mistakes.push(`${name}: sub-commands beside options`);
    for (const one of options) visit(one, false);
  }
}

/** All components, those in others too. */
export function nested(components: readonly Json[]): readonly Json[] {
  return components.flatMap((component) => [
    component,
    ...nested(objects(component["components"])),
    ...(component["accessory"] === undefined ? [] : nested([component["accessory"] as Json])),
    ...(component["component"] === undefined ? [] : nested([component["component"] as Json])),
  ]);
}

function nameOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Json)[key] : undefined;
}

function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}

function objects(value: unknown): readonly Json[] {
  return list(value).filter((one) => typeof one === "object" && one !== null);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
