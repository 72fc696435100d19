// Native → inbound, pure: which resource a path names, what a body says, which text is the command.
import * as z from "zod";

export type WebRoute =
  | { readonly kind: "messages" | "events" | "actions" | "suggestions"; readonly conversation: string }
  | { readonly kind: "review"; readonly id: string };

const conversationPath = /^\/api\/conversations\/([^/]+)\/(messages|events|actions|suggestions)$/;
const reviewPath = /^\/api\/reviews\/([^/]+)$/;

/** Null when the path names nothing, or names it by an id that cannot exist. */
export function matchRoute(path: string): WebRoute | null {
  const conversation = conversationPath.exec(path);
  if (conversation?.[1] !== undefined && isConversationId(conversation[1])) {
    const kind = conversation[2] as Exclude<WebRoute["kind"], "review">;
    return { kind, conversation: conversation[1] };
  }
  const review = reviewPath.exec(path);
  if (review?.[1] !== undefined && /^rv_[0-9A-Za-z]{1,64}$/.test(review[1])) return { kind: "review", id: review[1] };
  return null;
}

/** Letters, digits, `_` and `-`, at most 64; they appear in addresses and keys. */
export function isConversationId(text: string): boolean {
  return /^[0-9A-Za-z][0-9A-Za-z_-]{0,63}$/.test(text);
}

export function isMessageId(text: string): boolean {
  return /^[a-z]{2}_[0-9A-Za-z]{1,64}$/.test(text);
}

const messageId = z.string().refine(isMessageId, "is no message id");

/** @param maxText longest text, UTF-16 code units. */
export function postedMessage(maxText: number) {
  return z.strictObject({
    text: z
      .string()
      .max(maxText, `has more than ${maxText} characters`)
      .refine((text) => text.trim() !== "", "is empty")
      .refine((text) => !/\p{Surrogate}/u.test(text), "is not well-formed Unicode"),
    /** The root message that this one answers. */
    thread: messageId.optional(),
  });
}

export const postedAction = z.strictObject({
  message: messageId,
  token: z.string().regex(/^v1:[0-9A-Za-z]{1,60}$/, "is no token of a button"),
  values: z.record(z.string().max(64), z.string().max(4_000)).default({}),
});

/** `text is empty`: the first mistake of a body as a sentence that names the field. */
export function firstMistake(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "The body is not as documented.";
  if (issue.code === "unrecognized_keys") return `The field ${JSON.stringify(issue.keys[0])} is unknown.`;
  const field = issue.path.join(".");
  return field === "" ? "The body is not a JSON object." : `The field "${field}" ${phrase(issue)}.`;
}

function phrase(issue: z.core.$ZodIssue): string {
  return issue.code === "invalid_type" ? `is missing or no ${issue.expected}` : issue.message;
}

/**
 * The command within what a person typed: without the leading slash (also the full-width one of Chinese keyboards)
 * and without the command's own name; line ends and control characters become spaces.
 */
export function commandText(typed: string, commandName: string): string {
  const line = typed.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  const bare = line.replace(/^[/／]\s*/u, "");
  const [word = ""] = bare.split(/\s/u, 1);
  return word.toLowerCase() === commandName.toLowerCase() ? bare.slice(word.length).trim() : bare;
}

/**
 * The whole lines that complete what is typed: what the core suggests, behind the slash and name that the person began with.
 * Capitals do not matter, and what is typed in full already is left out.
 */
export function completions(typed: string, commandName: string, suggestions: readonly string[]): readonly string[] {
  const text = commandText(typed, commandName);
  const begun = typed.trimEnd();
  const head = begun.endsWith(text) ? begun.slice(0, begun.length - text.length) : "";
  const separated = text === "" && head !== "" && !/[/／\s]$/u.test(head) ? `${head} ` : head;
  return suggestions
    .filter((line) => line.length > text.length && line.toLowerCase().startsWith(text.toLowerCase()))
    .map((line) => separated + line);
}

/** The first language that the client asks for (`Accept-Language`), if it asks for any. */
export function preferredLocale(header: string | null): string | undefined {
  const wanted = (header ?? "")
    .slice(0, 200)
    .split(",")
    .map((entry, index) => {
      const [tag = "", ...params] = entry.split(";").map((part) => part.trim());
      const quality = params.find((param) => param.startsWith("q="));
      return { tag, index, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ tag, quality }) => /^[A-Za-z]{2,3}(-[0-9A-Za-z]{2,8})*$/.test(tag) && quality > 0)
    .sort((a, b) => b.quality - a.quality || a.index - b.index);
  return wanted[0]?.tag;
}

/** Client-made keys: printable ASCII, at most 128 characters. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(text);
}
