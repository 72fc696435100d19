// The resolver's socket: answers what the tool server of a running pass asks on behalf of its agent.
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { capContext } from "../report-tools/context-cap.ts";
import {
  type AnswerMessage,
  type ContextResolver,
  maxAnswerBytes,
  maxQuestionBytes,
  maxSocketPathBytes,
  type QuestionMessage,
  questionMessage,
} from "../report-tools/resolver-protocol.ts";

export interface ResolverServer {
  /** Path of the socket, for AICR_RESOLVER. */
  readonly path: string;
  /** Ends open questions and removes the socket and its folder. */
  close(): Promise<void>;
}

/**
 * Opens a socket in a fresh folder that only this user may enter, so that nobody else of the machine can ask.
 *
 * @param answers looks up at the reviewed revision.
 * @param accepts whether a pass may ask now; an orphan of an earlier pass may not.
 * @returns null where no socket can be had (no room in the temporary folder, its path too long): requests are then replayed.
 */
export async function serveResolver(
  answers: ContextResolver,
  accepts: (runId: string) => boolean,
): Promise<ResolverServer | null> {
  let folder: string;
  try {
    // mkdtemp makes the folder with mode 0700.
    folder = await mkdtemp(join(tmpdir(), "aicr-"));
  } catch {
    return null;
  }
  const path = join(folder, "s");
  const closing = new AbortController();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    serve(socket, answers, accepts, closing.signal);
  });
  if (Buffer.byteLength(path) > maxSocketPathBytes || !(await listens(server, path))) {
    await rm(folder, { recursive: true, force: true });
    return null;
  }
  return {
    path,
    async close() {
      closing.abort();
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function listens(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(path, () => resolve(true));
  });
}

/** Reads one question from a connection and answers it. */
function serve(
  socket: Socket,
  answers: ContextResolver,
  accepts: (runId: string) => boolean,
  closing: AbortSignal,
): void {
  const chunks: Buffer[] = [];
  let held = 0;
  const gone = new AbortController();
  socket.once("close", () => gone.abort());
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    const end = chunk.indexOf(0x0a);
    chunks.push(end === -1 ? chunk : chunk.subarray(0, end));
    held += chunk.length;
    if (held > maxQuestionBytes) socket.destroy();
    if (end === -1 || held > maxQuestionBytes) return;
    socket.removeAllListeners("data");
    const line = Buffer.concat(chunks).toString("utf8");
    respond(socket, line, answers, accepts, AbortSignal.any([closing, gone.signal])).catch(() => socket.destroy());
  });
}

async function respond(
  socket: Socket,
  line: string,
  answers: ContextResolver,
  accepts: (runId: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const question = parse(line);
  if (question === null) return void socket.destroy();
  let answer: AnswerMessage = accepts(question.runId)
    ? await ask(answers, question, signal)
    : { kind: "refused", reason: "This pass of the review is over; stop and do not retry." };
  let text = JSON.stringify(answer);
  if (Buffer.byteLength(text) >= maxAnswerBytes) {
    answer = { kind: "refused", reason: "The answer is too large. Do not retry it without a narrower range." };
    text = JSON.stringify(answer);
  }
  socket.end(`${text}\n`);
}

function parse(line: string): QuestionMessage | null {
  try {
    return questionMessage.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

async function ask(answers: ContextResolver, question: QuestionMessage, signal: AbortSignal): Promise<AnswerMessage> {
  const { path, reason, lines } = question;
  const asked = { path, reason, ...(lines === undefined ? {} : { lines }) };
  if (question.kind === "context") {
    const answer = await answers.context(asked, signal);
    return answer.kind === "answered" ? { kind: "context", context: { ...capContext(answer.context) } } : answer;
  }
  const answer = await answers.attribution(asked, signal);
  if (answer.kind !== "answered") return answer;
  const { status, entries } = answer.attribution;
  return { kind: "attribution", attribution: { path, status, entries: entries.map((entry) => ({ ...entry })) } };
}
