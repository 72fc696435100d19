// Takes the hints of Perforce triggers and Subversion hooks over HTTP: a key says which repository, the body only a number.
import * as z from "zod";
import { plainError, plainMethodNotAllowed } from "../../channels/kit/answers.ts";
import type { PlainAnswer, PlainRequest } from "../../channels/kit/plain.ts";
import type { AcceptPush } from "../app/accept-push.ts";
import type { Logger } from "../ports/logger.ts";
import { acceptAll } from "./accept-all.ts";
import { sameText } from "./constant-time.ts";
import { type BodyReader, createBodyReader } from "./read-body.ts";
import { type MediaType, mediaTypeOf, readForm, readJson } from "./read-document.ts";
import type { FeedRoutes } from "./webhooks.ts";

export interface TriggerSource {
  readonly vcs: "p4" | "svn";
  /** Alias of the one repository that the key stands for. */
  readonly repository: string;
  readonly apiKey: string;
}

export interface TriggerPorts {
  readonly sources: readonly TriggerSource[];
  readonly acceptPush: AcceptPush;
  readonly logger: Logger;
  readonly bodies?: BodyReader;
}

/** A changelist or revision: JSON may hold it as a number, a form and a shell script send digits. */
const number = z.union([z.int().min(1).max(9_999_999_999).transform(String), z.string().regex(/^[1-9]\d{0,9}$/)]);

const person = z.string().max(256);

/** Everything but the number is a hint, and most of what may come along is not even read. */
const bodySchemas = {
  p4: z
    .object({ change: number, user: person.optional().catch(undefined) })
    .transform(({ change, user }) => ({ head: change, author: user })),
  svn: z
    .object({ revision: number, author: person.optional().catch(undefined) })
    .transform(({ revision, author }) => ({ head: revision, author })),
} as const;

/** Routes for the systems that have a source. */
export function createTriggers({ sources, acceptPush, logger, bodies = createBodyReader() }: TriggerPorts): FeedRoutes {
  const routes = (["p4", "svn"] as const).filter((vcs) => sources.some((source) => source.vcs === vcs));

  async function receive(request: PlainRequest): Promise<PlainAnswer> {
    const vcs = routes.find((one) => request.path === `/triggers/${one}`);
    if (vcs === undefined) return unknownAddress();
    if (request.method !== "POST") return plainMethodNotAllowed(["POST"]);
    const source = sourceOf(vcs, request.headers.get("x-api-key"));
    if (source === undefined) return refuse(vcs);
    const mediaType = mediaTypeOf(request.headers);
    if (mediaType === null) return unsupported();
    return bodies.read(request, (bytes) => take(source, bytes, mediaType));
  }

  async function take({ vcs, repository }: TriggerSource, bytes: Buffer, mediaType: MediaType): Promise<PlainAnswer> {
    const values = valuesOf(bytes, mediaType);
    if (!values.ok) return malformed(values.problem, vcs);
    const read = bodySchemas[vcs].safeParse(values.value);
    if (!read.success) return malformed(`The field ${fields[vcs]} is missing or no number.`, vcs);
    const { head, author } = read.data;
    const hint = author === undefined || author === "" ? {} : { hint: { author } };
    return acceptAll([{ repository, ref: vcs, head, source: `${vcs}-trigger`, delivery: null, ...hint }], {
      acceptPush,
      logger,
    });
  }

  /** Every key is compared, so that the time says nothing about which one was nearly right. */
  function sourceOf(vcs: TriggerSource["vcs"], given: string | null): TriggerSource | undefined {
    if (given === null) return undefined;
    return sources.filter((source) => sameText(given, source.apiKey) && source.vcs === vcs)[0];
  }

  function refuse(vcs: TriggerSource["vcs"]): PlainAnswer {
    logger.warn("trigger.refused", { vcs });
    return plainError(
      401,
      {
        code: "auth",
        message: "The API key is missing or wrong.",
        remedy: "Send the key of the repository in the header X-API-Key.",
      },
      { connection: "close" },
    );
  }

  return { name: "triggers", routes: routes.map((vcs) => `/triggers/${vcs}`), receive };
}

const fields = { p4: "change", svn: "revision" } as const;

function valuesOf(bytes: Buffer, mediaType: MediaType): ReturnType<typeof readJson> {
  if (mediaType === "json") return readJson(bytes);
  const form = readForm(bytes);
  return form === null
    ? { ok: false, problem: "A field of the form stands there twice." }
    : { ok: true, value: Object.fromEntries(form) };
}

function unknownAddress(): PlainAnswer {
  const message = "No trigger is configured at this address.";
  return plainError(404, { code: "not_found", message, remedy: "Add the repository to triggers." });
}

function unsupported(): PlainAnswer {
  const message = "The body is neither JSON nor a form, or it is compressed.";
  const remedy = "Send it with Content-Type: application/json.";
  return plainError(415, { code: "unsupported", message, remedy }, { connection: "close" });
}

function malformed(message: string, vcs: TriggerSource["vcs"]): PlainAnswer {
  return plainError(400, { code: "bad_request", message, remedy: `Send {"${fields[vcs]}": 12345}.` });
}
