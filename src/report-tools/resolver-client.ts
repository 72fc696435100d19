// Asks the orchestrator's resolver over its unix socket; whatever goes wrong there is "unreachable", never a fault.
import { createConnection } from "node:net";
import {
  type AnswerMessage,
  answerMessage,
  type ContextResolver,
  type LookUpQuestion,
  maxAnswerBytes,
  maxSocketPathBytes,
  type QuestionMessage,
} from "./resolver-protocol.ts";

export interface ResolverClientOptions {
  /** Path of the socket (AICR_RESOLVER). */
  readonly path: string;
  readonly runId: string;
  /** How long an answer may take before the request is left to the follow-up pass, ms. Default 30,000. */
  readonly deadlineMs?: number;
}

/** Makes a resolver that asks over the socket. It never throws: trouble of any kind is the answer `unreachable`. */
export function createResolverClient(options: ResolverClientOptions): ContextResolver {
  const deadlineMs = options.deadlineMs ?? 30_000;

  return {
    async context(question, signal) {
      const answer = await ask("context", question, signal);
      if (answer.kind === "context") return { kind: "answered", context: answer.context };
      return answer.kind === "attribution" ? unreachable : answer;
    },
    async attribution(question, signal) {
      const answer = await ask("attribution", question, signal);
      if (answer.kind === "context") return unreachable;
      if (answer.kind !== "attribution") return answer;
      const { path, status, entries } = answer.attribution;
      return { kind: "answered", attribution: { path, status, entries: entries.map(withoutAbsent) } };
    },
  };

  async function ask(kind: QuestionMessage["kind"], question: LookUpQuestion, signal: AbortSignal) {
    if (Buffer.byteLength(options.path) > maxSocketPathBytes) return unreachable;
    const { path, lines, reason } = question;
    const message: QuestionMessage = { version: 1, runId: options.runId, kind, path, reason, ...(lines && { lines }) };
    const line = await exchange(JSON.stringify(message), signal);
    if (line === null) return unreachable;
    try {
      return answerMessage.parse(JSON.parse(line));
    } catch {
      return unreachable;
    }
  }

  /** Sends one line, gives back one line; null when the connection fails, ends early, says too much or takes too long. */
  function exchange(line: string, signal: AbortSignal): Promise<string | null> {
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let held = 0;
      const socket = createConnection({ path: options.path });
      const timer = setTimeout(() => settle(null), deadlineMs);
      const onAbort = () => settle(null);
      const settle = (answer: string | null) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        socket.destroy();
        resolve(answer);
      };
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) onAbort();
      socket.once("connect", () => socket.write(`${line}\n`));
      socket.on("data", (chunk: Buffer) => {
        const end = chunk.indexOf(0x0a);
        chunks.push(end === -1 ? chunk : chunk.subarray(0, end));
        held += chunk.length;
        if (end !== -1) settle(Buffer.concat(chunks).toString("utf8"));
        else if (held > maxAnswerBytes) settle(null);
      });
      socket.once("error", () => settle(null));
      socket.once("close", () => settle(null));
    });
  }
}

const unreachable = { kind: "unreachable" } as const;

type StoredEntry = Extract<AnswerMessage, { kind: "attribution" }>["attribution"]["entries"][number];

/** The wire may say `undefined` where the domain says nothing at all. */
function withoutAbsent(entry: StoredEntry) {
  const { line, revision, author, authorEmail, time, summary } = entry;
  return {
    line,
    revision,
    author,
    ...(authorEmail === undefined ? {} : { authorEmail }),
    ...(time === undefined ? {} : { time }),
    ...(summary === undefined ? {} : { summary }),
  };
}
