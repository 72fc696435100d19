// Where one person cannot be told something in the place itself, the command has a reaction, so that it was seen to be heard.
import { beforeEach, describe, expect, it } from "vitest";
import { messageEvent } from "../../../fakes/lark/events.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";
import { type HearingFixture, makeHearing } from "./hearing-side.ts";

let lark: HearingFixture;
beforeEach(() => {
  lark = makeHearing();
});

const inThread = messageEvent({ messageId: "om_1", text: "/review demo", rootId: "om_root", threadId: "omt_1" });
const inGroup = messageEvent({ messageId: "om_1", text: "/review demo" });

describe("a quiet answer", () => {
  it("to a command in a thread puts a reaction on the command", async () => {
    lark.core.command = async () => ({ page: plainPage("Clean"), visibility: "asker" });
    await lark.push(inThread);
    await lark.side.ended(1_000);
    expect(lark.reacted).toEqual(["om_1 seen"]);
    expect(lark.sent).toHaveLength(1);
  });

  it("that the core has posted itself does so as well", async () => {
    lark.core.command = async () => ({ page: null, visibility: "everyone" });
    await lark.push(inThread);
    await lark.side.ended(1_000);
    expect(lark.reacted).toEqual(["om_1 seen"]);
  });

  it("in the group itself needs none", async () => {
    lark.core.command = async () => ({ page: plainPage("Clean"), visibility: "asker" });
    await lark.push(inGroup);
    await lark.side.ended(1_000);
    expect(lark.reacted).toEqual([]);
  });
});

describe("an answer to everyone, or none", () => {
  it("needs no reaction", async () => {
    lark.core.command = async () => ({ page: plainPage("Hear"), visibility: "everyone" });
    await lark.push(inThread);
    await lark.side.ended(1_000);
    expect(lark.reacted).toEqual([]);
    const silent = makeHearing();
    await silent.push(inThread);
    await silent.side.ended(1_000);
    expect(silent.reacted).toEqual([]);
  });
});
