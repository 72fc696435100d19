// The manifest is what the code does: every event that is registered, every call that is made, and both READMEs explain it all.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { larkChannelConfig } from "../../../../channels/lark/config.ts";
import { createReceive } from "../../../../channels/lark/receive.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { botOpenId } from "../../../fakes/lark/events.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

const folder = new URL("../../../../channels/lark/", import.meta.url);

const named = z.strictObject({ name: z.string(), isNeeded: z.boolean() });
const manifest = z
  .strictObject({
    name: z.string(),
    kind: z.string(),
    scopes: z.array(named),
    avoid: z.array(z.string()),
    events: z.array(named),
    callbacks: z.array(named),
    webhook: z.literal("/lark/events"),
    calls: z.array(z.strictObject({ path: z.string(), scopes: z.array(z.string()) })),
  })
  .parse(JSON.parse(read("manifest.json")));

function read(file: string): string {
  return readFileSync(new URL(file, folder), "utf8");
}

function sources(at = folder): readonly string[] {
  return readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return sources(new URL(`${entry.name}/`, at));
    return entry.name.endsWith(".ts") ? [readFileSync(new URL(entry.name, at), "utf8")] : [];
  });
}

const names = (list: readonly { readonly name: string }[]): readonly string[] => list.map(({ name }) => name);

describe("the manifest", () => {
  it("names the events that the code registers, and no other", () => {
    const unused = (): never => {
      throw new Error("nothing is received here");
    };
    const handlers = createReceive(
      {
        inbox: { command: unused, lifecycle: unused },
        claims: { once: unused, begin: unused, ended: unused },
        show: unused,
        people: { known: unused, name: unused },
        menu: {},
        store: { note: unused, saveNote: unused },
        background: { run: unused, ended: unused },
        clock: createFakeClock(),
        logger: silentLogger,
      },
      { botOpenId, commandName: "review", allowedBots: [] },
    );
    expect([...names(manifest.events)].sort()).toEqual(Object.keys(handlers).sort());
    expect(names(manifest.callbacks)).toEqual(["card.action.trigger"]);
    expect(sources().join()).toContain('"card.action.trigger"');
  });

  it("names the calls that the code makes, and no other", () => {
    const found = sources()
      .flatMap((source) => source.match(/\/open-apis\/[\w/${}().-]+/g) ?? [])
      .map((path) => path.replace(/\$\{[^}]*\}/g, ":id"))
      .filter((path) => !path.startsWith("/open-apis/bot/v2/hook/") && path !== "/open-apis/");
    expect([...new Set(manifest.calls.map(({ path }) => path))].sort()).toEqual([...new Set(found)].sort());
  });

  it("asks for the scopes that its calls and events need, and for none beside", () => {
    const hears = ["im:message.group_at_msg:readonly", "im:message.p2p_msg:readonly"];
    const needed = new Set([...manifest.calls.flatMap(({ scopes }) => scopes), ...hears]);
    expect([...names(manifest.scopes)].sort()).toEqual([...needed].sort());
    for (const scope of manifest.avoid) expect(names(manifest.scopes)).not.toContain(scope);
  });
});

describe.each(["README.md", "README.zh-CN.md"])("%s", (file) => {
  const text = read(file);

  it("explains every scope, event and callback, and what to avoid", () => {
    const all = [...manifest.scopes, ...manifest.events, ...manifest.callbacks].map(({ name }) => name);
    for (const name of [...all, ...manifest.avoid, manifest.webhook]) expect(text).toContain(name);
    for (const name of all)
      expect(text.split(`| \`${name}\``).length, name).toBeGreaterThan(name === "card.action.trigger" ? 0 : 1);
  });

  it("has a row for every setting", () => {
    for (const key of Object.keys(larkChannelConfig.shape)) expect(text, key).toContain(`\`${key}\``);
  });
});
