// The commands as Discord registers them: names, options, choices, and descriptions in the languages of the product.
import type {
  APIApplicationCommandBasicOption,
  APIApplicationCommandSubcommandOption,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
} from "discord-api-types/v10";
import type { Verb } from "../../src/core/command.ts";
import { locales, type Texts } from "../../src/ports/texts.ts";
import type { CommandNames } from "./command-line.ts";
import { optionsOf, subCommands, type TableOption } from "./command-table.ts";

export type CommandBody = RESTPostAPIChatInputApplicationCommandsJSONBody;

export interface CommandsRequest {
  readonly names: CommandNames;
  readonly texts: Texts;
  /** Bits of the permissions that people need by default; administrators of a server may say otherwise. */
  readonly permissions?: string;
}

/** Longest value of a text option that we take, UTF-16 units; the grammar's own limit. */
const MAX_VALUE = 500;

/** Numbers of Discord's API. */
const CHAT_INPUT = 1;
const SUB_COMMAND = 1;
const STRING = 3;
const IN_SERVERS = 0;
const INSTALLED_IN_SERVERS = 0;

export function commandBodies({ names, texts, permissions }: CommandsRequest): readonly CommandBody[] {
  const described = (key: string) => descriptions(texts, key);
  const place = {
    type: CHAT_INPUT,
    contexts: [IN_SERVERS],
    integration_types: [INSTALLED_IN_SERVERS],
    default_member_permissions: permissions ?? null,
  } satisfies Partial<CommandBody>;

  function option({ name, required, choices, isSuggested }: TableOption): APIApplicationCommandBasicOption {
    const about = { type: STRING, name, required, ...described(`discord.option.${name}`) };
    if (choices !== undefined) return { ...about, choices: choices.map((one) => ({ name: one, value: one })) };
    // Typed as two kinds of options: with suggestions and without.
    if (isSuggested) return { ...about, max_length: MAX_VALUE, autocomplete: true };
    return { ...about, max_length: MAX_VALUE };
  }

  function subCommand(verb: Verb): APIApplicationCommandSubcommandOption {
    return {
      type: SUB_COMMAND,
      name: verb,
      ...described(`discord.verb.${verb}`),
      options: optionsOf(verb).map(option),
    };
  }

  return [
    { ...place, name: names.review, ...described("discord.verb.review"), options: optionsOf("review").map(option) },
    { ...place, name: names.verbs, ...described("discord.verbs"), options: subCommands.map(subCommand) },
  ];
}

interface Descriptions {
  readonly description: string;
  readonly description_localizations: Record<string, string>;
}

/** English for everybody, and the other languages for whose client speaks them; Discord knows them by the same names. */
function descriptions(texts: Texts, key: string): Descriptions {
  const others = locales.filter((locale) => locale !== "en");
  return {
    description: texts.text(key, "en"),
    description_localizations: Object.fromEntries(others.map((locale) => [locale, texts.text(key, locale)])),
  };
}
