// What an operator decides about models: where they answer, what they cost, and when a review has used enough.

export const modelKinds = ["openai-compatible", "anthropic", "google"] as const;
export type ModelKind = (typeof modelKinds)[number];

/** Per million tokens, in whatever currency the budgets are given. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  /** Input that the provider had in its cache. */
  readonly cachedInput: number;
}

/** One model at one endpoint. */
export interface ModelEndpoint {
  /** By which the configuration refers to it. */
  readonly name: string;
  readonly kind: ModelKind;
  /** The provider's id of the model. */
  readonly model: string;
  /** Without a slash at its end; the provider's own paths follow it. */
  readonly baseUrl: string;
  /** Stays in the bot's process: it never enters a sandbox. */
  readonly apiKey?: string;
  /** Tokens that the model reads and writes in one request. */
  readonly contextTokens: number;
  /** Most tokens that it may write in one answer. */
  readonly maxOutputTokens: number;
  /** Absent: it costs nothing, such as a model of one's own. */
  readonly prices?: ModelPrices;
}

/** Bounds of one attempt of a review, all its passes together. */
export interface ModelLimits {
  /** Requests to the model. */
  readonly steps: number;
  /** Tokens read and written. */
  readonly tokens: number;
  /** In the currency of the prices; absent: no bound. */
  readonly money?: number;
  /** ms; the review's own limit holds beside it. */
  readonly ms: number;
  /** Conversations into which a large change may be divided. */
  readonly parts: number;
}

/** What all reviews of one repository may use on one day (UTC). */
export interface DailyBudget {
  readonly tokens?: number;
  readonly money?: number;
}
