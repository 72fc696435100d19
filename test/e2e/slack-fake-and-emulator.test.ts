// The strict fake and the independent emulator, asked the same: where both know an answer, they agree.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { emulated, type SlackEmulator, startEmulator } from "../fakes/slack/emulator.ts";
import { type SlackWebApi, startSlackWebApi } from "../fakes/slack/web-api.ts";

type Body = Readonly<Record<string, unknown>>;
type Call = (method: string, given: Readonly<Record<string, string>>) => Promise<Body>;

interface Side {
  readonly call: Call;
  readonly conversation: string;
  readonly person: string;
}

const token = "xoxb-of-a-test";
let emulator: SlackEmulator;
let fake: SlackWebApi;
let sides: readonly Side[];

beforeAll(async () => {
  const scopes = ["chat:write", "channels:read", "channels:history", "files:write", "files:read", "im:write"];
  const tokens = [{ token, user_id: emulated.person, scopes: [...scopes, "users:read", "reactions:write"] }];
  emulator = await startEmulator({ strict_scopes: true, tokens });
  fake = await startSlackWebApi({ clock: createFakeClock(Date.UTC(2026, 0, 5, 12)), hasPace: false });
  const toFake: Call = async (method, given) => {
    const headers = { authorization: `Bearer ${fake.bot.token}` };
    const sent = { method: "POST", headers, body: new URLSearchParams(given) };
    return (await (await fetch(`${fake.url}${method}`, sent)).json()) as Body;
  };
  sides = [
    { call: toFake, conversation: "C0001", person: "U0001" },
    {
      call: (method, given) => emulator.call(method, given, token),
      conversation: emulated.conversation,
      person: emulated.person,
    },
  ];
});
afterAll(async () => {
  await emulator?.stop();
  await fake?.stop();
});

/** What both say to the same script. */
async function agreed(script: (side: Side) => Promise<unknown>): Promise<unknown> {
  const [ours, theirs] = await Promise.all(sides.map(script));
  expect(ours).toEqual(theirs);
  return ours;
}

const outcome = (answer: Body): unknown => (answer["ok"] === true ? "ok" : answer["error"]);
const told = (answer: Body): readonly Body[] => answer["messages"] as Body[];
const metadata = JSON.stringify({ event_type: "aicr_delivery", event_payload: { key: "dl_1/0" } });

describe("the fake and the emulator agree", () => {
  it("on a message's life: post, reply, read back, edit, react, delete", async () => {
    const said = await agreed(async ({ call, conversation: channel }) => {
      const post = await call("chat.postMessage", { channel, text: "root &amp; more", metadata });
      const ts = String(post["ts"]);
      const reply = await call("chat.postMessage", { channel, text: "reply", thread_ts: ts });
      const edit = await call("chat.update", { channel, ts, text: "edited" });
      const reaction = { channel, timestamp: ts, name: "eyes" };
      const reactions = [
        await call("reactions.add", reaction),
        await call("reactions.add", reaction),
        await call("reactions.remove", reaction),
        await call("reactions.remove", reaction),
      ];
      const history = await call("conversations.history", { channel, include_all_metadata: "true" });
      const replies = await call("conversations.replies", { channel, ts });
      const link = await call("chat.getPermalink", { channel, message_ts: ts });
      const removal = [
        await call("chat.delete", { channel, ts: String(reply["ts"]) }),
        await call("chat.delete", { channel, ts: String(reply["ts"]) }),
        await call("chat.update", { channel, ts: String(reply["ts"]), text: "late" }),
      ];
      return {
        outcomes: [post, reply, edit, ...reactions, link, ...removal].map(outcome),
        inThread: (reply["message"] as Body)["thread_ts"] === ts,
        history: told(history).map(({ text, metadata: own }) => [text, own]),
        replies: told(replies).map(({ text }) => text),
        isLinked: String(link["permalink"]).includes(`/archives/${channel}/p${ts.replace(".", "")}`),
      };
    });
    expect(said).toMatchObject({
      outcomes: [
        "ok",
        "ok",
        "ok",
        "ok",
        "already_reacted",
        "ok",
        "no_reaction",
        "ok",
        "ok",
        "message_not_found",
        "message_not_found",
      ],
      inThread: true,
      replies: ["edited", "reply"],
      isLinked: true,
    });
  });

  it("on the order in which messages are told", async () => {
    const said = await agreed(async ({ call, conversation: channel }) => {
      const first = await call("chat.postMessage", { channel, text: "first" });
      await call("chat.postMessage", { channel, text: "second" });
      for (const text of ["one", "two"])
        await call("chat.postMessage", { channel, text, thread_ts: String(first["ts"]) });
      const history = told(await call("conversations.history", { channel, limit: "2" }));
      const replies = told(await call("conversations.replies", { channel, ts: String(first["ts"]) }));
      return [history.map(({ text }) => text), replies.map(({ text }) => text)];
    });
    expect(said).toEqual([
      ["second", "first"],
      ["first", "one", "two"],
    ]);
  });

  it("on what is refused", async () => {
    const said = await agreed(async ({ call, conversation: channel, person: user }) => {
      const calls: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
        ["chat.postMessage", { channel: "C0NOWHERE", text: "x" }],
        ["chat.postMessage", { channel, text: "" }],
        ["chat.update", { channel, ts: "1.1", text: "x" }],
        ["chat.delete", { channel, ts: "1.1" }],
        ["chat.getPermalink", { channel, message_ts: "1.1" }],
        ["reactions.add", { channel, timestamp: "1.1", name: "eyes" }],
        ["conversations.history", { channel: "C0NOWHERE" }],
        ["conversations.info", { channel: "C0NOWHERE" }],
        ["conversations.open", { users: "U0NOBODY" }],
        ["users.info", { user: "U0NOBODY" }],
        ["chat.postEphemeral", { channel: "C0NOWHERE", user, text: "x" }],
        [
          "views.open",
          {
            trigger_id: "none",
            view: JSON.stringify({ type: "modal", title: { type: "plain_text", text: "t" }, blocks: [] }),
          },
        ],
        ["files.completeUploadExternal", { files: JSON.stringify([{ id: "F0NONE" }]), channel_id: channel }],
        ["files.delete", { file: "F0NONE" }],
      ];
      const outcomes: unknown[] = [];
      for (const [method, given] of calls) outcomes.push([method, outcome(await call(method, given))]);
      return outcomes;
    });
    expect(said).toHaveLength(14);
  });

  it("on ephemeral messages, which no history tells and nobody edits", async () => {
    const said = await agreed(async ({ call, conversation: channel, person: user }) => {
      const before = told(await call("conversations.history", { channel })).length;
      const post = await call("chat.postEphemeral", { channel, user, text: "psst" });
      const edit = await call("chat.update", { channel, ts: String(post["message_ts"]), text: "x" });
      const after = told(await call("conversations.history", { channel })).length;
      return [outcome(post), outcome(edit), after - before];
    });
    expect(said).toEqual(["ok", "message_not_found", 0]);
  });

  it("on a file's way into a conversation", async () => {
    const said = await agreed(async ({ call, conversation: channel }) => {
      const ticket = await call("files.getUploadURLExternal", { filename: "a.txt", length: "5" });
      const files = JSON.stringify([{ id: ticket["file_id"], title: "A file" }]);
      const early = await call("files.completeUploadExternal", { files, channel_id: channel });
      const upload = await fetch(String(ticket["upload_url"]), { method: "POST", body: "hello" });
      const done = await call("files.completeUploadExternal", { files, channel_id: channel });
      const again = await call("files.completeUploadExternal", { files, channel_id: channel });
      const [newest] = told(await call("conversations.history", { channel, limit: "1" }));
      const [file] = (newest?.["files"] ?? []) as Body[];
      const gone = [
        await call("files.delete", { file: String(ticket["file_id"]) }),
        await call("files.delete", { file: String(ticket["file_id"]) }),
      ];
      return [outcome(early), upload.status, outcome(done), outcome(again), file?.["title"], ...gone.map(outcome)];
    });
    expect(said).toEqual(["file_not_found", 200, "ok", "file_not_found", "A file", "ok", "file_not_found"]);
  });
});
