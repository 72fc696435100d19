// Makes a model of a provider's package; each is loaded when it is needed first.
import type { LanguageModel } from "ai";
import type { TaskEndpoint } from "./task.ts";

/** The proxy puts the real key in its place. */
const placeholderKey = "placeholder";

export async function createModel({ kind, model, baseUrl, name }: TaskEndpoint): Promise<LanguageModel> {
  switch (kind) {
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({ name, baseURL: baseUrl, apiKey: placeholderKey, includeUsage: true })(model);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL: baseUrl, apiKey: placeholderKey })(model);
    }
    case "google": {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI({ baseURL: baseUrl, apiKey: placeholderKey })(model);
    }
  }
}
