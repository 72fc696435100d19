// Answers to interactions at the small Discord: one acknowledgement within three seconds, private or not for good, and a token for 15 minutes.
import { callbackMistakes, EPHEMERAL } from "./body-rules.ts";
import { applyEdit, checkMessage, messageJson, storeMessage } from "./rest-messages.ts";
import { type Context, type Route, refuse } from "./rest-route.ts";
import { specMistakes } from "./rest-spec.ts";
import type { Json, WorldInteraction, WorldMessage } from "./rest-world.ts";

export const ACK_MS = 3_000;
export const TOKEN_MS = 15 * 60_000;

/** Which answers a kind of interaction takes. */
const answersTo: Readonly<Record<WorldInteraction["type"], readonly number[]>> = {
  2: [4, 5, 9],
  3: [4, 5, 6, 7, 9],
  4: [8],
  5: [4, 5, 6, 7],
};

const callbackSchemas: Readonly<Record<number, string>> = {
  4: "CreateMessageInteractionCallbackRequest",
  5: "CreateMessageInteractionCallbackRequest",
  6: "UpdateMessageInteractionCallbackRequest",
  7: "UpdateMessageInteractionCallbackRequest",
  8: "ApplicationCommandAutocompleteCallbackRequest",
  9: "ModalInteractionCallbackRequest",
};

export const interactionRoutes: readonly Route[] = [
  ["POST", "/interactions/:interaction/:token/callback", acknowledge, "open"],
  ["POST", "/webhooks/:application/:token", followUp, "open"],
  [
    "GET",
    "/webhooks/:application/:token/messages/:message",
    (context) => messageJson(context.world, target(context)),
    "open",
  ],
  ["PATCH", "/webhooks/:application/:token/messages/:message", editThrough, "open"],
  ["DELETE", "/webhooks/:application/:token/messages/:message", removeThrough, "open"],
];

function acknowledge(context: Context): undefined {
  const { world, params, body } = context;
  const interaction = world.interactions.get(params["interaction"] ?? "");
  const isLate = interaction !== undefined && world.now() - interaction.createdAt > ACK_MS;
  if (interaction?.token !== params["token"] || interaction === undefined || isLate) {
    return refuse(404, 10062, "Unknown interaction");
  }
  if (interaction.answer !== undefined) refuse(400, 40060, "Interaction has already been acknowledged.");
  const type = Number(body["type"]);
  const schema = callbackSchemas[type];
  if (schema === undefined || !answersTo[interaction.type].includes(type))
    refuse(400, 50035, "type: not for this interaction");
  context.check([...specMistakes(schema ?? "", body), ...callbackMistakes(body)]);
  interaction.answer = body;
  const flags = Number((body["data"] as Json | undefined)?.["flags"] ?? 0);
  if (type === 4) {
    original(context, interaction, (body["data"] ?? {}) as Json, flags);
  } else if (type === 5) {
    original(context, interaction, { content: "" }, flags).isThinking = true;
  } else if (type === 7 && interaction.message !== undefined) {
    const message = world.message(interaction.channel, interaction.message);
    if (message !== undefined)
      applyEdit(context, message, body["data"] as Json, "IncomingWebhookUpdateRequestPartial", "interaction");
  }
  if (interaction.message !== undefined && (type === 6 || type === 7)) interaction.original = interaction.message;
}

function original(context: Context, interaction: WorldInteraction, body: Json, flags: number): WorldMessage {
  const message = storeMessage(context, interaction.channel, { ...body, flags }, privately(interaction, flags));
  interaction.original = message.id;
  return message;
}

function privately({ user }: WorldInteraction, flags: number): { readonly onlyFor?: string } {
  return (flags & EPHEMERAL) === 0 ? {} : { onlyFor: user };
}

function followUp(context: Context): unknown {
  const { world, body } = context;
  const interaction = answering(context);
  checkMessage(context, "IncomingWebhookRequestPartial", body, { via: "interaction" });
  const waiting =
    interaction.original === undefined ? undefined : world.message(interaction.channel, interaction.original);
  const flags = Number(body["flags"] ?? 0);
  // The first follow-up to a deferral fills it, and is as private as the deferral was.
  if (waiting?.isThinking === true)
    return applyEdit(
      context,
      waiting,
      { ...body, flags: flags & ~EPHEMERAL },
      "IncomingWebhookRequestPartial",
      "interaction",
    );
  return messageJson(world, storeMessage(context, interaction.channel, body, privately(interaction, flags)));
}

function editThrough(context: Context): unknown {
  return applyEdit(context, target(context), context.body, "IncomingWebhookUpdateRequestPartial", "interaction");
}

function removeThrough(context: Context): undefined {
  const message = target(context);
  const messages = context.world.channels.get(message.channel)?.messages;
  messages?.splice(messages.indexOf(message), 1);
}

function answering({ world, params }: Context): WorldInteraction {
  if (params["application"] !== world.application) refuse(404, 10015, "Unknown Webhook");
  const interaction = world.interactionBy(params["token"] ?? "");
  if (interaction === undefined) return refuse(404, 10015, "Unknown Webhook");
  if (world.now() - interaction.createdAt > TOKEN_MS) refuse(401, 50027, "Invalid Webhook Token");
  if (interaction.answer === undefined) refuse(404, 10015, "Unknown Webhook");
  return interaction;
}

function target(context: Context): WorldMessage {
  const { world, params } = context;
  const interaction = answering(context);
  const id = params["message"] === "@original" ? interaction.original : params["message"];
  const message = id === undefined ? undefined : world.message(interaction.channel, id);
  return message ?? refuse(404, 10008, "Unknown Message");
}
