// Reads and replaces the registered commands.
import type { CommandCalls } from "./calls.ts";
import { channelError, codes } from "./faults.ts";
import type { DiscordRest } from "./rest.ts";

export function createCommandCalls(rest: DiscordRest, application: string): CommandCalls {
  const path = (guild: string | undefined) =>
    guild === undefined
      ? (`/applications/${application}/commands` as const)
      : (`/applications/${application}/guilds/${guild}/commands` as const);

  return {
    async commands(guild) {
      const answer = await rest.call({ method: "GET", path: path(guild) });
      if (!answer.ok) throw channelError(answer.refusal, { doing: "list the commands" });
      return Array.isArray(answer.value) ? answer.value : [];
    },
    async replaceCommands(commands, guild) {
      const answer = await rest.call({ method: "PUT", path: path(guild), body: commands });
      if (answer.ok) return "done";
      const { code } = answer.refusal;
      if (code === codes.tooManyCommands || code === codes.commandCreations) return "over_limit";
      throw channelError(answer.refusal, { doing: "register the commands" });
    },
  };
}
