// The file as it is written, before anything is known of its form.
import type { ConfigPath } from "./mistakes.ts";

export type Raw = Readonly<Record<string, unknown>>;

/** Notes a mistake at a place of the file. */
export type Add = (path: ConfigPath, text: string) => void;

export function record(value: unknown): Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Raw) : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
