// Uploads: pictures and files get a key of the platform, by which messages show them.
import type { ImageAttachment, TextAttachment } from "../../src/core/card.ts";
import { ChannelError } from "../../src/ports/channel.ts";
import type { LarkApi } from "./api.ts";

/** Largest picture, bytes. */
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;
/** Largest file, bytes. */
const MAX_FILE_BYTES = 30 * 1024 * 1024;
/** Longest name of a file, UTF-16 code units. */
const MAX_NAME = 200;

/** @returns the picture's key. Throws ChannelError. */
export async function uploadImage(api: LarkApi, { base64 }: ImageAttachment): Promise<string> {
  const image = new Uint8Array(Buffer.from(base64, "base64"));
  checkSize(image, MAX_IMAGE_BYTES);
  const body = { image_type: "message", image };
  return keyOf(await api.call({ method: "POST", path: "/open-apis/im/v1/images", body, isForm: true }), "image_key");
}

/** @returns the file's key. Throws ChannelError. */
export async function uploadFile(api: LarkApi, { name, text }: TextAttachment): Promise<string> {
  const file = new Uint8Array(Buffer.from(text, "utf8"));
  checkSize(file, MAX_FILE_BYTES);
  const body = { file_type: "stream", file_name: name.slice(0, MAX_NAME), file };
  return keyOf(await api.call({ method: "POST", path: "/open-apis/im/v1/files", body, isForm: true }), "file_key");
}

function checkSize({ byteLength }: Uint8Array, most: number): void {
  if (byteLength === 0) throw new ChannelError("rejected", "An empty file cannot be uploaded.");
  if (byteLength > most) throw new ChannelError("too_large", `The file has more than ${most / 1024 / 1024} MB.`);
}

function keyOf(answer: Readonly<Record<string, unknown>>, name: string): string {
  const key = answer[name];
  if (typeof key === "string" && key !== "") return key;
  // An upload shows nothing yet, so that it may be made again.
  throw new ChannelError("not_sent", "The platform's answer names no uploaded file.");
}
