// The channels by name; each is loaded only when it is configured, because their SDKs are slow to load.

export const channelModules = {
  web: () => import("./web/index.ts"),
  lark: () => import("./lark/index.ts"),
} as const;

/** The names by which conversations say where they are; custom bots of Lark are a channel of their own. */
export const channelNames: readonly string[] = ["web", "slack", "lark", "lark-webhook", "discord"];
