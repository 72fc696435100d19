// Modals keep Slack's limits whatever they are given, and give back what they carry.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  answeredFormIn,
  formButtonValue,
  formModal,
  formOfButton,
  repositoryModal,
  subscribeModal,
  subscribingIn,
  waitingRevisionsIn,
} from "../../../../channels/slack/modals.ts";
import { checkView } from "../../../fakes/slack/block-kit.ts";

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 400 });
const word = fc.stringMatching(/^[a-z]{1,12}$/);
const message = { channel: "slack", workspace: "T0001", conversation: "C0001", message: "1767614400.000100" };
const words = { title: "Subscribe", submit: "Subscribe", cancel: "Cancel" };
const subscribeWords = {
  ...words,
  conversation: "Where",
  repository: "Repository",
  filters: "Filters",
  filtersHint: "branch:main",
  none: "None",
};

const forms = fc.record({
  title: text,
  token: fc.stringMatching(/^v1:[0-9a-z]{1,60}$/),
  fields: fc.uniqueArray(fc.record({ name: word, label: text, multiline: fc.boolean(), required: fc.boolean() }), {
    minLength: 1,
    maxLength: 10,
    selector: ({ name }) => name,
  }),
});

describe("modals", () => {
  it("are such that Slack opens them, whatever a form says", () => {
    fc.assert(
      fc.property(forms, text, (form, submit) => {
        const view = formModal({ form, message }, { submit, cancel: submit });
        expect(checkView(view, "modal")).toEqual([]);
        expect(answeredFormIn(view.private_metadata ?? "")).toEqual({ token: form.token, message });
      }),
    );
  });

  it("offer a hundred repositories of however many there are", () => {
    const repositories = Array.from({ length: 250 }, (_, n) => `repository-${n}`);
    const waiting = { conversation: "C0001", thread: "1767614400.000100", specs: ["r12"] };
    const choice = repositoryModal(waiting, repositories, { ...words, label: "Repository", text: "r12" });
    expect(checkView(choice, "modal")).toEqual([]);
    expect(waitingRevisionsIn(choice.private_metadata ?? "")).toEqual(waiting);
    const second = subscribeModal(subscribeWords, { conversation: "C0001", repositories });
    expect(checkView(second, "modal")).toEqual([]);
    expect(subscribingIn(second.private_metadata ?? "")).toBe("C0001");
  });

  it("choose the only repository there is", () => {
    const view = subscribeModal(subscribeWords, { conversation: "C0001", repositories: ["demo"] });
    expect(JSON.stringify(view)).toContain('"initial_option":{"text":{"type":"plain_text","text":"demo"');
  });

  it("say where nothing can be subscribed to, with nothing to send", () => {
    const view = subscribeModal(subscribeWords, { conversation: "C0001", repositories: [] });
    expect(checkView(view, "modal")).toEqual([]);
    expect(view).not.toHaveProperty("submit");
    expect(subscribingIn(view.private_metadata ?? "")).toBeNull();
    expect(checkView(subscribeModal(subscribeWords), "modal")).toEqual([]);
  });

  it("carry five long revisions within Slack's three thousand characters", () => {
    const specs = Array.from({ length: 5 }, (_, n) => `https://git.example/${"x".repeat(470)}/pull/${n}`);
    const waiting = { conversation: "C0001", thread: "1767614400.000100", specs };
    const view = repositoryModal(waiting, ["demo"], { ...words, label: "Repository", text: specs.join(", ") });
    expect(checkView(view, "modal")).toEqual([]);
  });

  it("read back a form from its button, and nothing from anything else", () => {
    fc.assert(
      fc.property(forms, (form) => {
        const value = formButtonValue({ form, message: { ...message, thread: "1767614399.000100" } });
        if (value === null) return;
        expect(value.length).toBeLessThanOrEqual(2_000);
        expect(formOfButton(value)).toEqual({ form, message: { ...message, thread: "1767614399.000100" } });
      }),
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (any) => {
        expect(formOfButton(any)).toBeNull();
        expect(answeredFormIn(any)).toBeNull();
        expect(waitingRevisionsIn(any)).toBeNull();
        expect(subscribingIn(any)).toBeNull();
      }),
    );
  });
});
