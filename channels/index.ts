// The channels by name; each is loaded only when it is configured, because their SDKs are slow to load.

export const channelModules = {
  web: () => import("./web/index.ts"),
  slack: () => import("./slack/index.ts"),
  lark: () => import("./lark/index.ts"),
  discord: () => import("./discord/index.ts"),
} as const;

/** The names by which conversations say where they are; custom bots of Lark are a channel of their own. */
export const channelNames: readonly string[] = [...Object.keys(channelModules), "lark-webhook"];
