// Puts the command into the client's panel, where the platform has one: best effort, and nothing is written that stands there already.
import { createHash } from "node:crypto";
import * as z from "zod";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { LarkApi } from "./api.ts";
import { messageOf } from "./background.ts";
import type { Words } from "./words.ts";

export interface SlashPorts {
  readonly api: Pick<LarkApi, "call">;
  readonly store: Pick<ChannelStore, "note" | "saveNote">;
  readonly words: Words;
  readonly logger: Logger;
  readonly appId: string;
  readonly commandName: string;
}

const path = "/open-apis/application/v7/app_slash_commands";

const listed = z.object({
  items: z.array(z.object({ command: z.string(), command_id: z.string().min(1) })).nullish(),
});
const noted = z.object({ command: z.string(), hash: z.string() });

/** Never throws: commands are understood without the panel, and the app may lack the scopes. */
export async function registerCommand(ports: SlashPorts): Promise<void> {
  try {
    await register(ports);
  } catch (thrown) {
    ports.logger.info("lark.command_not_registered", { error: messageOf(thrown) });
  }
}

async function register({ api, store, words, logger, appId, commandName: command }: SlashPorts): Promise<void> {
  const i18n = await words.everywhere("lark.command");
  const description = { default_value: await words.text("lark.command"), i18n };
  const hash = createHash("sha256").update(JSON.stringify({ command, description })).digest("hex");
  const key = `command/${appId}`;
  const earlier = readNote(await store.note("lark", key));
  if (earlier?.hash === hash) return;
  const data = listed.parse(await api.call({ method: "GET", path }));
  const idOf = (name: string): string | undefined => data.items?.find((item) => item.command === name)?.command_id;
  const id = idOf(command);
  // Only the description: an icon that an administrator chose stays.
  if (id !== undefined) await api.call({ method: "PATCH", path: one(id), body: { description } });
  else await api.call({ method: "POST", path, body: { command, description } });
  const old = earlier === null || earlier.command === command ? undefined : idOf(earlier.command);
  if (old !== undefined) await api.call({ method: "DELETE", path: one(old) });
  await store.saveNote("lark", key, JSON.stringify({ command, hash }));
  logger.info("lark.command_registered", { command });
}

function one(id: string): string {
  return `${path}/${encodeURIComponent(id)}`;
}

function readNote(text: string | null): z.output<typeof noted> | null {
  if (text === null) return null;
  try {
    const read = noted.safeParse(JSON.parse(text));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}
