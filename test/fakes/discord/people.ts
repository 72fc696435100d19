// People at the small Discord: they fill in the commands that are registered, press the buttons that are there, and submit the forms that they are shown.
import { nested } from "./body-rules.ts";
import type { Json, World, WorldInteraction } from "./rest-world.ts";

export interface Actor {
  readonly user: string;
  readonly name?: string;
  /** The channel or thread where it happens. */
  readonly channel: string;
  /** Ids of the person's roles. */
  readonly roles?: readonly string[];
  /** Bits of the person's rights. */
  readonly permissions?: string;
  /** As Discord's client names it: `en-US`, `zh-CN`, `vi`. */
  readonly locale?: string;
}

/** An interaction that has happened, and the packet that tells the bot of it. */
export interface Happened {
  readonly interaction: WorldInteraction;
  readonly packet: Json;
}

export interface People {
  /** Types a slash command; `name` may have a sub-command: `aicr mute`. Throws for what Discord would not offer. */
  command(actor: Actor, name: string, values?: Readonly<Record<string, string>>): Happened;
  /** Types in the last of the values, so that suggestions are asked for. */
  typing(actor: Actor, name: string, values: Readonly<Record<string, string>>): Happened;
  /** Throws when the message shows no such button to the person. */
  press(actor: Actor, message: string, customId: string): Happened;
  /** Submits the form that the interaction was answered with. Throws when it was not. */
  submit(actor: Actor, form: WorldInteraction, values: Readonly<Record<string, string>>): Happened;
}

export function createPeople(world: World): People {
  function happen(
    actor: Actor,
    type: WorldInteraction["type"],
    data: Json,
    message?: { readonly id: string; readonly channel: string },
  ): Happened {
    const { channel, user } = actor;
    const shown = message === undefined ? {} : { message: message.id };
    const interaction = world.openInteraction({ type, channel, user, ...shown });
    const place = world.channels.get(channel);
    if (place === undefined) throw new Error(`there is no channel ${channel}`);
    const person = { id: user, username: actor.name ?? `user${user}`, discriminator: "0", avatar: null };
    const inGuild = {
      guild_id: place.guild,
      guild_locale: "en-US",
      member: {
        user: person,
        roles: actor.roles ?? [],
        nick: null,
        permissions: actor.permissions ?? "2248473465835073",
        joined_at: "2024-01-01T00:00:00Z",
        deaf: false,
        mute: false,
        flags: 0,
      },
    };
    const packet = {
      id: interaction.id,
      application_id: world.application,
      type,
      token: interaction.token,
      version: 1,
      channel_id: channel,
      channel: {
        id: channel,
        type: place.type,
        name: place.name,
        ...(place.parent === undefined ? {} : { parent_id: place.parent }),
      },
      ...(place.guild === undefined ? { user: person } : inGuild),
      locale: actor.locale ?? "en-US",
      app_permissions: String(world.rights(place)),
      entitlements: [],
      authorizing_integration_owners: {},
      context: place.guild === undefined ? 1 : 0,
      attachment_size_limit: 10_485_760,
      data,
      ...(message === undefined ? {} : { message: { id: message.id, channel_id: message.channel } }),
    };
    return { interaction, packet };
  }

  function filledIn(actor: Actor, name: string, values: Readonly<Record<string, string>>, focused?: string): Json {
    const [top = "", sub] = name.split(" ");
    const guild = world.channels.get(actor.channel)?.guild;
    const registered = [...(world.commands.get(guild ?? "") ?? []), ...(world.commands.get("") ?? [])];
    const command = registered.find((one) => one["name"] === top);
    if (command === undefined) throw new Error(`/${top} is not registered`);
    const within = sub === undefined ? command : optionsOf(command).find((one) => one["name"] === sub);
    if (within === undefined) throw new Error(`/${top} has no ${sub ?? ""}`);
    const known = optionsOf(within);
    for (const [key, value] of Object.entries(values)) {
      const option = known.find((one) => one["name"] === key);
      if (option === undefined) throw new Error(`/${name} has no option ${key}`);
      const choices = option["choices"] as readonly Json[] | undefined;
      if (choices !== undefined && !choices.some((one) => one["value"] === value)) {
        throw new Error(`${key} has no choice ${value}`);
      }
      if (value.length > Number(option["max_length"] ?? 6_000)) throw new Error(`${key} is too long`);
      if (key === focused && option["autocomplete"] !== true) throw new Error(`${key} has no suggestions`);
    }
    const missing = known.find((one) => one["required"] === true && values[String(one["name"])] === undefined);
    if (missing !== undefined && focused === undefined) throw new Error(`${String(missing["name"])} is required`);
    const options = Object.entries(values).map(([key, value]) => ({
      name: key,
      type: 3,
      value,
      ...(key === focused ? { focused: true } : {}),
    }));
    const given = sub === undefined ? options : [{ name: sub, type: 1, options }];
    return { id: command["id"], name: top, type: 1, options: given };
  }

  return {
    command: (actor, name, values = {}) => happen(actor, 2, filledIn(actor, name, values)),
    typing(actor, name, values) {
      const focused = Object.keys(values).at(-1);
      return happen(actor, 4, filledIn(actor, name, values, focused));
    },
    press(actor, message, customId) {
      const found = world.message(actor.channel, message);
      const isSeen = found !== undefined && (found.onlyFor === undefined || found.onlyFor === actor.user);
      if (!isSeen) throw new Error(`there is no message ${message}`);
      const button = nested(found.components).find((one) => one["type"] === 2 && one["custom_id"] === customId);
      if (button === undefined) throw new Error(`the message has no button ${customId}`);
      return happen(actor, 3, { custom_id: customId, component_type: 2 }, found);
    },
    submit(actor, { answer, message, channel }, values) {
      if (answer?.["type"] !== 9) throw new Error("there is no form");
      const form = answer["data"] as Json;
      const fields = nested(form["components"] as readonly Json[]).filter((one) => one["type"] === 4);
      const names = fields.map((one) => String(one["custom_id"]));
      if (Object.keys(values).some((name) => !names.includes(name))) throw new Error("the form has no such field");
      const components = names.map((name, index) => ({
        type: 18,
        id: index * 2 + 1,
        component: { type: 4, id: index * 2 + 2, custom_id: name, value: values[name] ?? "" },
      }));
      const shown = message === undefined ? undefined : { id: message, channel };
      return happen(actor, 5, { custom_id: form["custom_id"], components }, shown);
    },
  };
}

function optionsOf(command: Json): readonly Json[] {
  return (command["options"] as readonly Json[] | undefined) ?? [];
}
