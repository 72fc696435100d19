// Keeps the MCP sessions of an HTTP server: each has its own transport and tool set, idle ones end, and their number is capped.
import { randomUUID } from "node:crypto";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { ToolSet } from "../ports/tool.ts";
import { createMcpServer } from "./server.ts";

export interface SessionTools {
  readonly toolSet: ToolSet;
  /** Called once when the session is over. */
  readonly release?: () => void;
}

export interface Session {
  readonly id: string;
  readonly transport: StreamableHTTPServerTransport;
}

export interface SessionsOptions {
  /** Gives a new session its tools. */
  makeToolSet(sessionId: string): SessionTools | ToolSet;
  readonly maxSessions: number;
  /** Time without a request after which a session ends, ms. */
  readonly idleMs: number;
  /** Monotonic time, ms. */
  now(): number;
}

export interface Sessions {
  /** Opens a session for an initialize request; null when there are too many. */
  open(): Promise<Session | null>;
  find(id: string): Session | undefined;
  closeAll(): Promise<void>;
  readonly size: number;
}

interface Entry extends Session {
  readonly server: Server;
  lastSeen: number;
}

/** Starts without a session. */
export function createSessions(options: SessionsOptions): Sessions {
  const entries = new Map<string, Entry>();

  return {
    async open() {
      await closeIdle();
      if (entries.size >= options.maxSessions) return null;
      const id = randomUUID();
      const made = options.makeToolSet(id);
      const tools: SessionTools = "toolSet" in made ? made : { toolSet: made };
      const server = createMcpServer(tools.toolSet);
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => id });
      server.onclose = () => {
        if (entries.delete(id)) tools.release?.();
      };
      // The SDK's class declares its handlers as possibly undefined, which its own interface forbids under exact optional types.
      await server.connect(transport as Parameters<Server["connect"]>[0]);
      entries.set(id, { id, transport, server, lastSeen: options.now() });
      return { id, transport };
    },
    find(id) {
      const entry = entries.get(id);
      if (entry !== undefined) entry.lastSeen = options.now();
      return entry;
    },
    async closeAll() {
      await Promise.all([...entries.values()].map((entry) => entry.server.close()));
    },
    get size() {
      return entries.size;
    },
  };

  /** Idle sessions are looked for when a new one comes: that is when they cost something, and no timer is needed. */
  async function closeIdle(): Promise<void> {
    const before = options.now() - options.idleMs;
    for (const entry of [...entries.values()]) if (entry.lastSeen < before) await entry.server.close();
  }
}
