// Files: text that fits no page as a file of its own, a chart as a picture; where files are refused, what they say goes as text.
import type { Attachment, Page } from "../../src/core/card.ts";
import { MAX_FILE_BYTES } from "./capabilities.ts";
import { clipped } from "./components/plain.ts";
import { cleanText } from "./escape.ts";
import { isFileRefused } from "./faults.ts";
import type { PostPage, SendMessage } from "./posting.ts";
import type { RestFile } from "./rest.ts";
import { componentTypes, type MessageBody, messageFlags, type TopComponent } from "./wire.ts";

/** Text of a file that is shown where the file itself is refused. */
const SHOWN_TEXT = 1_500;
const MAX_DESCRIPTION = 1_024;
const MAX_NAME = 80;

/** How a file is sent: with its bytes; without them when it is too large, or Discord takes none here. */
export function sendFile(file: Attachment, postPage: PostPage): SendMessage {
  return async (options, call) => {
    const sent = toFile(file);
    const asText = () => postPage(textPage(file), options, (body) => call(body));
    if (sent.data.byteLength > MAX_FILE_BYTES) return asText();
    const first = await call(fileBody(file, sent, options.ids), [sent]);
    return first.ok || !isFileRefused(first.refusal) ? first : asText();
  };
}

/** What stands for the file where only text may. */
export function textPage(file: Attachment): Page {
  const isText = "text" in file;
  const text = clipped(isText ? file.text : file.alt, SHOWN_TEXT);
  const block = isText
    ? ({ kind: "code", text } as const)
    : ({ kind: "text", children: [{ kind: "text", text }] } as const);
  return { card: { title: file.name, tone: "neutral", fallback: file.name, blocks: [block] } };
}

function fileBody(file: Attachment, { name }: RestFile, ids: readonly [number, number] | undefined): MessageBody {
  const url = `attachment://${name}` as const;
  const id = ids === undefined ? {} : { id: ids[0] };
  const description = "text" in file ? "" : clipped(cleanText(file.alt), MAX_DESCRIPTION);
  const described = description === "" ? {} : { description };
  const component: TopComponent =
    "text" in file
      ? { type: componentTypes.file, ...id, file: { url } }
      : { type: componentTypes.gallery, ...id, items: [{ media: { url }, ...described }] };
  return {
    flags: messageFlags.componentsV2,
    components: [component],
    attachments: [{ id: "0", filename: name, ...described }],
    allowed_mentions: { parse: [] },
  };
}

function toFile(file: Attachment): RestFile {
  const isText = "text" in file;
  return {
    name: fileName(file.name),
    contentType: isText ? `${file.mediaType}; charset=utf-8` : file.mediaType,
    data: isText ? new TextEncoder().encode(file.text) : Buffer.from(file.base64, "base64"),
  };
}

/** Discord keeps letters, digits, `.`, `_` and `-` of a name; a component has to name the file as it will be called. */
function fileName(name: string): string {
  const kept = name
    .normalize("NFKD")
    .replace(/\p{Mn}+/gu, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[-.]+|-+$/g, "");
  return kept === "" ? "file" : kept.slice(-MAX_NAME);
}
