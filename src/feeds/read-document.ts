// Turns the bytes of a push into a JSON document or form fields, and refuses what only an attacker would write.
import { isUtf8 } from "node:buffer";
import type { HeaderView } from "../../channels/kit/plain.ts";
import { cutJson } from "./cut-json.ts";

export type MediaType = "json" | "form";

export type Document =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Deepest nesting that is read: the payloads of hosts stay below 10, and recursion ends far beyond it. */
const MAX_DEPTH = 2_000;

/** Null for every other type, for a charset other than UTF-8, and for anything compressed. */
export function mediaTypeOf(headers: HeaderView): MediaType | null {
  if (headers.has("content-encoding")) return null;
  const [type = "", ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  const foreign = parameters.some((one) => /^\s*charset\s*=/.test(one) && !/=\s*"?utf-?8"?\s*$/.test(one));
  if (foreign) return null;
  if (type.trim() === "application/json") return "json";
  return type.trim() === "application/x-www-form-urlencoded" ? "form" : null;
}

/** The fields of a form; a field that stands there twice is ambiguous, and so is the whole form. */
export function readForm(bytes: Buffer): ReadonlyMap<string, string> | null {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(bytes.toString("utf8"))) {
    if (fields.has(name)) return null;
    fields.set(name, value);
  }
  return fields;
}

/**
 * Where a key stands twice the last one counts, for us as for whoever signed these very bytes.
 * @param unread keys of the outermost object whose lists and objects are null in the document, whatever stands in them.
 */
export function readJson(bytes: Buffer, unread: readonly string[] = []): Document {
  if (!isUtf8(bytes)) return { ok: false, problem: "The body is not UTF-8." };
  const { text, depth } = cutJson(bytes, unread);
  if (depth > MAX_DEPTH) return { ok: false, problem: "The JSON is nested too deeply." };
  let hasProto = false;
  try {
    // Going over every value costs as much as parsing it, and almost no push holds the name in any spelling.
    const value: unknown = /__proto__|\\u00[5-7]/i.test(text)
      ? JSON.parse(text, (key, inner: unknown) => {
          if (key === "__proto__") hasProto = true;
          return inner;
        })
      : JSON.parse(text);
    return hasProto ? { ok: false, problem: "The JSON has a key that no payload has." } : { ok: true, value };
  } catch {
    return { ok: false, problem: "The body is not JSON." };
  }
}
