// The Slack client: every call that goes to Slack's Web API.
export type {
  SlackBot,
  SlackClient,
  SlackClientOptions,
  SlackConversation,
  SlackIdentity,
  SlackPerson,
  SlackView,
} from "./client-types.ts";
