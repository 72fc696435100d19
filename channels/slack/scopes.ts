// The scopes that the bot needs, and those without which it merely does less; the manifest and the README have the same.

/** Without one of these something that people see does not work. */
export const neededScopes = [
  "commands",
  "chat:write",
  "app_mentions:read",
  "channels:read",
  "groups:read",
  "im:history",
  "im:write",
  "reactions:write",
  "files:write",
  "users:read",
] as const;

/** Each with what is lost without it. */
export const optionalScopes = {
  "chat:write.public": "public channels need an invitation before the bot can post there",
  "channels:history": "after a lost answer from Slack, whether a message arrived in a public channel stays unknown",
  "groups:history": "after a lost answer from Slack, whether a message arrived in a private channel stays unknown",
  "usergroups:read": "roles cannot be given to user groups",
} as const;

export const allBotScopes: readonly string[] = [...neededScopes, ...Object.keys(optionalScopes)];
