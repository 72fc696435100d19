// Files: Slack gives an address, takes the bytes there, and shares the file in its own time without telling the message.
import * as z from "zod";
import type { Attachment } from "../../src/core/card.ts";
import { ChannelError } from "../../src/ports/channel.ts";
import type { SlackClientOptions } from "./client-types.ts";
import { clip, plainLine } from "./escape.ts";
import { fromNetwork, fromStatus } from "./faults.ts";
import { fileMark } from "./find-message.ts";
import type { Lanes } from "./lane.ts";
import { laneOf, type Place, refOf } from "./places.ts";
import { understood } from "./post-message.ts";
import type { SentMessage } from "./sent-messages.ts";
import type { WebCalls } from "./web-calls.ts";

export type Upload = (place: Place, file: Attachment, key: string) => Promise<SentMessage>;

export interface UploadPorts extends Pick<SlackClientOptions, "fetch" | "timeoutMs" | "apiUrl"> {
  readonly calls: WebCalls;
  readonly lanes: Lanes;
}

const MAX_TITLE = 255;
const MAX_ALT = 1_000;
const TIMEOUT_MS = 15_000;

const ticket = z.looseObject({ upload_url: z.url(), file_id: z.string().regex(/^F[A-Z0-9]+$/) });
const share = z.record(z.string(), z.array(z.looseObject({ ts: z.string().optional() })));
const completed = z.looseObject({
  files: z.array(
    z.looseObject({
      id: z.string(),
      shares: z.looseObject({ public: share.optional(), private: share.optional() }).optional(),
    }),
  ),
});

export function createUpload({ calls, lanes, fetch = globalThis.fetch, timeoutMs, apiUrl }: UploadPorts): Upload {
  return async (place, file, key) => {
    const { workspace, channel, thread } = place;
    const bytes = bytesOf(file);
    if (bytes.byteLength === 0) throw new ChannelError("rejected", "An empty file cannot be uploaded to Slack.");
    const { upload_url: address, file_id: id } = await ask(workspace, file, bytes.byteLength, key);
    await put(address, bytes, file.mediaType);
    const title = clip(plainLine(file.name), MAX_TITLE);
    const answer = await lanes.run(laneOf(place), () =>
      calls.write(workspace, "files.completeUploadExternal", {
        files: [{ id, title }],
        channel_id: channel,
        ...(thread === undefined ? {} : { thread_ts: thread }),
      }),
    );
    const [done] = understood(completed, answer, "files.completeUploadExternal").files;
    const shares = { ...done?.shares?.public, ...done?.shares?.private };
    return { ref: refOf(place, shares[channel]?.[0]?.ts ?? id) };
  };

  async function ask(
    workspace: string,
    file: Attachment,
    length: number,
    key: string,
  ): Promise<z.infer<typeof ticket>> {
    const method = "files.getUploadURLExternal";
    // `alt_txt` is what Slack documents; the SDK sends `alt_text`, which Slack does not know.
    const alt = "alt" in file ? { alt_txt: clip(plainLine(file.alt), MAX_ALT) } : {};
    const given = { filename: markedName(file.name, key), length, ...alt };
    return beforeSharing(async () => understood(ticket, await calls.write(workspace, method, given), method));
  }

  async function put(address: string, bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<void> {
    const isPlain = apiUrl?.startsWith("http:") === true;
    if (!address.startsWith("https:") && !isPlain)
      throw new ChannelError("rejected", "Slack's upload address is not https.");
    await beforeSharing(async () => {
      let status: number;
      try {
        const signal = AbortSignal.timeout(timeoutMs ?? TIMEOUT_MS);
        const headers = { "content-type": mediaType };
        const response = await fetch(address, { method: "POST", headers, body: bytes, redirect: "error", signal });
        await response.arrayBuffer();
        status = response.status;
      } catch (thrown) {
        throw fromNetwork(thrown, "the upload").error;
      }
      if (status !== 200) throw fromStatus(status, "the upload").error;
    });
  }
}

/** Until its upload is completed a file is seen by nobody, so what failed was not sent. */
async function beforeSharing<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    if (!(thrown instanceof ChannelError) || thrown.fault !== "uncertain") throw thrown;
    throw new ChannelError("not_sent", thrown.message, { cause: thrown });
  }
}

/** The name that a download gets; the title, which people see, stays the file's own. */
function markedName(name: string, key: string): string {
  const plain = plainLine(name).replaceAll("/", "_");
  const dot = plain.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [plain.slice(0, dot), plain.slice(dot)] : [plain, ""];
  return `${clip(stem, 150)}${fileMark(key)}${clip(ending, 20)}`;
}

function bytesOf(file: Attachment): Uint8Array<ArrayBuffer> {
  return "base64" in file ? new Uint8Array(Buffer.from(file.base64, "base64")) : new TextEncoder().encode(file.text);
}
