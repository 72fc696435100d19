// What may be asked of a model's endpoint, by its kind: methods and paths, and nothing that is not listed here.
import type { ModelEndpoint, ModelKind } from "../model/settings.ts";

/** `generate` costs; `count` gives a number of tokens; `models` is answered by the proxy itself. */
export type OperationKind = "generate" | "count" | "models";

export interface Operation {
  readonly kind: OperationKind;
  /** The wire form, which decides how usage and refusals look. */
  readonly form: "openai-chat" | "openai-responses" | "anthropic" | "google";
  /** Below the endpoint's base address. */
  readonly path: string;
  /** Named by the path, as Google does; otherwise the body names it. */
  readonly model?: string;
}

export interface Route {
  readonly endpoint: ModelEndpoint;
  readonly operation: Operation;
  /** Query that is handed on: what changes the form of the answer, never a key. */
  readonly query: string;
}

/** Parameters that may pass: Google's choice of a stream, Anthropic's of a beta form. */
const passedParameters: ReadonlySet<string> = new Set(["alt", "beta"]);

/**
 * Finds what a request asks for. The first endpoint answers at the root, each one under its name; the version in front of the
 * path, which clients add or leave out, is the base address's business.
 *
 * @returns null for anything that is not allowed.
 */
export function findRoute(endpoints: readonly ModelEndpoint[], method: string, target: string): Route | null {
  // A target with a host, or one that is cleverly encoded, is none that a client of a model sends.
  if (!target.startsWith("/") || /%(?:2e|2f|5c|00)|\/\.|\\|\/\//i.test(target)) return null;
  const [path = "", query = ""] = splitOnce(target, "?");
  for (const endpoint of endpoints) {
    const prefix = `/${endpoint.name}`;
    if (!path.startsWith(`${prefix}/`)) continue;
    const operation = findOperation(endpoint.kind, method, path.slice(prefix.length));
    if (operation !== null) return { endpoint, operation, query: passed(query) };
  }
  const first = endpoints[0];
  const operation = first === undefined ? null : findOperation(first.kind, method, path);
  return first === undefined || operation === null ? null : { endpoint: first, operation, query: passed(query) };
}

function findOperation(kind: ModelKind, method: string, versioned: string): Operation | null {
  const path = versioned.replace(/^\/v\d+(?:beta|alpha)?(?=\/)/, "");
  if (method === "GET" && path === "/models") return { kind: "models", form: formOf(kind), path };
  if (method !== "POST") return null;
  switch (kind) {
    case "openai-compatible":
      if (path === "/chat/completions") return { kind: "generate", form: "openai-chat", path };
      return path === "/responses" ? { kind: "generate", form: "openai-responses", path } : null;
    case "anthropic":
      if (path === "/messages") return { kind: "generate", form: "anthropic", path };
      return path === "/messages/count_tokens" ? { kind: "count", form: "anthropic", path } : null;
    case "google": {
      const named = /^\/models\/([\w.-]{1,200}):(generateContent|streamGenerateContent|countTokens)$/.exec(path);
      const [, model, verb] = named ?? [];
      if (model === undefined) return null;
      return { kind: verb === "countTokens" ? "count" : "generate", form: "google", path, model };
    }
  }
}

export function formOf(kind: ModelKind): Operation["form"] {
  return kind === "openai-compatible" ? "openai-chat" : kind;
}

/** The endpoint's address of an operation. A bare host of Anthropic's or Google's kind gets the version that they demand. */
export function upstreamUrl({ endpoint, operation, query }: Route): string {
  const base = endpoint.baseUrl.replace(/\/+$/, "");
  const isBare = new URL(base).pathname === "/";
  const version = !isBare ? "" : endpoint.kind === "anthropic" ? "/v1" : endpoint.kind === "google" ? "/v1beta" : "";
  return `${base}${version}${operation.path}${query === "" ? "" : `?${query}`}`;
}

function passed(query: string): string {
  const kept = [...new URLSearchParams(query)].filter(([name]) => passedParameters.has(name));
  return new URLSearchParams(kept).toString();
}

function splitOnce(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
