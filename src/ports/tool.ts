// A tool as both tool servers offer it, independent of the transport and of the MCP SDK.

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface ToolResult {
  readonly text: string;
  /** Present on success, and wherever the output schema covers the answer. */
  readonly structured?: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Has an object at its root, as MCP demands. */
  readonly outputSchema: JsonSchema;
  readonly annotations: ToolAnnotations;
  /** Validates the input itself; never throws for bad input, but answers with `isError`. */
  call(input: unknown, signal: AbortSignal): Promise<ToolResult>;
}

/** What one server session offers. */
export interface ToolSet {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
  readonly tools: readonly Tool[];
  /** Maps a client's spelling to a tool's canonical name; null when nothing fits. */
  resolveName(name: string): string | null;
  /** Told when a client has introduced itself (its name and version), and when it has asked for the list of tools. */
  readonly onClient?: (client: string, step: "connected" | "listed") => void;
}
