// Reads a JSON document that may have been written by somebody hostile, and checks it against its schema.
import type * as z from "zod";
import { type FileIdentity, readFileWhole } from "./atomic-file.ts";

export type JsonDocumentRead<T> =
  | { readonly kind: "ok"; readonly value: T; readonly identity: FileIdentity }
  | { readonly kind: "missing" }
  /** The reason names the first field that is wrong. */
  | { readonly kind: "corrupt"; readonly reason: string };

/** @param maxBytes a longer file is refused unread. Never throws. */
export function readJsonDocument<T>(path: string, maxBytes: number, schema: z.ZodType<T>): JsonDocumentRead<T> {
  const file = readFileWhole(path, maxBytes);
  if (file.kind === "missing") return file;
  if (file.kind === "unreadable") return { kind: "corrupt", reason: file.reason };
  let value: unknown;
  try {
    value = JSON.parse(file.bytes.toString("utf8"));
  } catch {
    return { kind: "corrupt", reason: "it is not JSON" };
  }
  const read = schema.safeParse(value);
  if (read.success) return { kind: "ok", value: read.data, identity: file.identity };
  const issue = read.error.issues[0];
  return { kind: "corrupt", reason: `${issue?.path.join(".")}: ${issue?.message}` };
}
