// The channels by name; each is loaded only when it is configured, because their SDKs are slow to load.

export const channelModules = {
  web: () => import("./web/index.ts"),
} as const;
