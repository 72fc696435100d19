// The ways in which calls to the fake fail, as they fail with Slack and with what stands between.

import type { IncomingMessage, ServerResponse } from "node:http";
import { refuse } from "./web-api-messages.ts";

export type Trouble =
  /** Slack's own refusal. */
  | { readonly kind: "error"; readonly error: string; readonly more?: Readonly<Record<string, unknown>> }
  /** An HTTP status; `stored`: after the call was done. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly stored?: boolean;
    }
  /** 200 with a page in place of JSON. */
  | { readonly kind: "html"; readonly body?: string; readonly stored?: boolean }
  /** The connection ends without an answer. */
  | { readonly kind: "reset"; readonly stored?: boolean }
  /** The answer breaks off in its middle. */
  | { readonly kind: "torn"; readonly stored?: boolean }
  /** No answer at all. */
  | { readonly kind: "silence"; readonly stored?: boolean };

export interface Troubles {
  /** The next `times` calls of a method fail so; `*`: of any method. */
  add(method: string, trouble: Trouble, times?: number): void;
  take(method: string): Trouble | undefined;
  clear(): void;
}

export function createTroubles(): Troubles {
  const waiting: { readonly method: string; readonly trouble: Trouble; times: number }[] = [];
  return {
    add(method, trouble, times = 1) {
      waiting.push({ method, trouble, times });
    },
    take(method) {
      const found = waiting.find((one) => one.times > 0 && (one.method === method || one.method === "*"));
      if (found === undefined) return undefined;
      found.times -= 1;
      return found.trouble;
    },
    clear() {
      waiting.length = 0;
    },
  };
}

/** Answers, or does not, as the trouble says. */
export function fail(trouble: Trouble, request: IncomingMessage, response: ServerResponse): void {
  switch (trouble.kind) {
    case "error": {
      const body = JSON.stringify(refuse(trouble.error, trouble.more));
      response.writeHead(200, { "content-type": "application/json" }).end(body);
      return;
    }
    case "status":
      response.writeHead(trouble.status, trouble.headers ?? {}).end(trouble.body ?? "");
      return;
    case "html":
      response.writeHead(200, { "content-type": "text/html" }).end(trouble.body ?? "<html>Down for a while</html>");
      return;
    case "reset":
      request.socket.destroy();
      return;
    case "torn":
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"ok":tr', () => request.socket.destroy());
      return;
    case "silence":
      return;
  }
}
