// What a scripted model is asked, whatever the wire form, and what it answers.

export type WireForm = "openai-chat" | "openai-responses" | "anthropic" | "google";

export interface SeenMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  /** Calls that the model made in this message. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  /** Results of calls that the message brings. */
  readonly results: readonly { readonly id: string; readonly text: string }[];
}

export interface SeenRequest {
  readonly form: WireForm;
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly SeenMessage[];
  /** Names of the tools as the endpoint was told. */
  readonly tools: readonly string[];
  readonly maxOutputTokens: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Turn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  /** Default: 100 in, 10 out; null: the provider does not tell. */
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly cached?: number;
    readonly reasoning?: number;
  } | null;
  /** The answer was cut at the most tokens. */
  readonly isCut?: boolean;
  /** Instead of an answer. */
  readonly error?: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly message?: string;
  };
  /** Nothing comes, until the client goes. `after`: the answer begins and then stops. */
  readonly hang?: "before" | "after";
  /** The answer breaks off, or is no JSON. */
  readonly malformed?: boolean;
}

/** Answers the n-th request (from 0); null is a mistake of the test. */
export type Script = (request: SeenRequest, n: number) => Turn | null;

/** Plays turns in order; one more request than turns is a mistake of the test. */
export function turns(...list: readonly Turn[]): Script {
  return (_request, n) => list[n] ?? null;
}
