// Installing the app in several workspaces: consent, state, sealed tokens, rotation, and coming back after a removal.
import { afterEach, describe, expect, it } from "vitest";
import { plainPage } from "../fakes/scripted-inbox.ts";
import {
  createSlackWorkspace,
  publicUrl,
  type SlackWorkspace,
  type WorkspaceOptions,
} from "../fakes/slack/workspace.ts";

let workspace: SlackWorkspace | undefined;

async function start(options: WorkspaceOptions = {}): Promise<SlackWorkspace> {
  workspace = await createSlackWorkspace({ transport: "http", oauth: true, ...options });
  await workspace.start();
  return workspace;
}

afterEach(async () => {
  await workspace?.stop();
  workspace = undefined;
});

interface Begun {
  readonly consent: URL;
  readonly state: string;
  readonly cookie: string;
}

async function begin({ channel }: SlackWorkspace): Promise<Begun> {
  const answer = await channel.webhook(new Request(`${publicUrl}/slack/install`));
  expect(answer.status).toBe(302);
  const consent = new URL(answer.headers.get("location") ?? "");
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  return { consent, state: consent.searchParams.get("state") ?? "", cookie };
}

function finish(
  { channel }: SlackWorkspace,
  query: Readonly<Record<string, string>>,
  cookie: string,
): Promise<Response> {
  const address = new URL("/slack/oauth_redirect", publicUrl);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return channel.webhook(new Request(address, { headers: { cookie, "accept-language": "vi,en;q=0.5" } }));
}

async function install(slack: SlackWorkspace): Promise<Response> {
  const { state, cookie } = await begin(slack);
  const code = slack.slack.oauth.consent("T0001", `${publicUrl}/slack/oauth_redirect`);
  return finish(slack, { code, state }, cookie);
}

describe("an installation", () => {
  it("asks Slack's consent for the scopes of the manifest, and comes back to a working bot", async () => {
    const slack = await start();
    const { consent } = await begin(slack);
    expect(consent.pathname).toBe("/oauth/v2/authorize");
    expect(consent.searchParams.get("client_id")).toBe(slack.slack.oauth.clientId);
    expect(consent.searchParams.get("redirect_uri")).toBe(`${publicUrl}/slack/oauth_redirect`);
    expect(consent.searchParams.get("scope")?.split(",")).toContain("chat:write");

    const answer = await install(slack);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("Đã cài đặt ứng dụng");
    expect(slack.inbox.lifecycles).toEqual([{ kind: "installed", channel: "slack", workspace: "T0001" }]);
    await slack.channel.send({ conversation: slack.conversation }, plainPage("Hello"), "dl_1/0");
    expect(slack.shown()).toMatchObject([{ text: "Hello" }]);
    const stored = JSON.stringify(await slack.store.installations("slack"));
    expect(stored).not.toContain("xoxb");
  });

  it("lasts beyond a restart", async () => {
    const first = await start();
    await install(first);
    const { store } = first;
    const { token } = first.slack.bot;
    await first.stop();
    const second = await start({ store });
    second.slack.bot.token = token;
    await second.slash("answer");
    expect(second.shown()).toMatchObject([{ text: "You said answer" }]);
  });

  it("sets a cookie that no script and no other site can use", async () => {
    const slack = await start();
    const answer = await slack.channel.webhook(new Request(`${publicUrl}/slack/install`));
    expect(answer.headers.get("set-cookie")).toMatch(
      /^aicr_slack_install=[\w-]{22}; Path=\/slack; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("takes a state once, from the browser that began, within ten minutes, and unaltered", async () => {
    const slack = await start();
    const { oauth } = slack.slack;
    const redirect = `${publicUrl}/slack/oauth_redirect`;
    const used = await begin(slack);
    expect(
      (await finish(slack, { code: oauth.consent("T0001", redirect), state: used.state }, used.cookie)).status,
    ).toBe(200);
    const exchanges = oauth.exchanges.length;
    const refuse = async (state: string, cookie: string): Promise<void> => {
      const answer = await finish(slack, { code: oauth.consent("T0001", redirect), state }, cookie);
      expect(answer.status).toBe(400);
    };
    await refuse(used.state, used.cookie);
    const other = await begin(slack);
    await refuse(other.state, used.cookie);
    await refuse(other.state, "");
    const [body = "", mac = ""] = other.state.split(".");
    await refuse(`${body}.${mac.slice(0, -1)}${mac.endsWith("A") ? "B" : "A"}`, other.cookie);
    await refuse(`${body.slice(0, -2)}AA.${mac}`, other.cookie);
    await refuse("", other.cookie);
    await slack.clock.advanceAsync(10 * 60_000);
    await refuse(other.state, other.cookie);
    expect(oauth.exchanges.length).toBe(exchanges);
  });

  it("says that nothing was installed when consent was refused or Slack refuses the code", async () => {
    const slack = await start();
    const refused = await begin(slack);
    const denied = await finish(slack, { error: "access_denied", state: refused.state }, refused.cookie);
    expect([denied.status, await denied.text()]).toEqual([200, expect.stringContaining("không có gì được cài đặt")]);
    const wrong = await begin(slack);
    expect((await finish(slack, { code: "made.up", state: wrong.state }, wrong.cookie)).status).toBe(502);
    expect(await slack.store.installations("slack")).toEqual([]);
    expect(JSON.stringify(slack.logged)).not.toContain(slack.slack.oauth.clientSecret);
  });

  it("renews tokens that rotate, once for all that is sent at the same time", async () => {
    const slack = await start();
    slack.slack.oauth.rotates = true;
    await install(slack);
    await slack.clock.advanceAsync(12 * 3_600_000);
    const targets = ["C0001", "C0001", "G0001"].map((conversation) => ({ ...slack.conversation, conversation }));
    await Promise.all(
      targets.map((conversation, n) => slack.channel.send({ conversation }, plainPage(`Late ${n}`), `dl_${n}/0`)),
    );
    expect(slack.slack.oauth.exchanges).toEqual(["code T0001", "refresh T0001"]);
    expect(slack.shown()).toHaveLength(2);
  });

  it("is forgotten when the app is removed, and works again when it comes back", async () => {
    const slack = await start();
    await install(slack);
    await slack.deliver("events_api", slack.payloads.event({ type: "app_uninstalled" }));
    const send = (): Promise<unknown> =>
      slack.channel.send({ conversation: slack.conversation }, plainPage("Hello"), "dl_1/0").catch((e: unknown) => e);
    expect(await send()).toMatchObject({ fault: "auth" });
    await install(slack);
    expect(await send()).toMatchObject({ conversation: "C0001" });
    expect(slack.inbox.lifecycles.map(({ kind }) => kind)).toEqual(["installed", "uninstalled", "installed"]);
  });

  it("keeps the others working when Slack refuses the bot in one workspace, and says where to install it again", async () => {
    const slack = await start();
    await install(slack);
    slack.slack.bot.refusal = "account_inactive";
    await slack.channel.send({ conversation: slack.conversation }, plainPage("x"), "dl_1/0").catch(() => undefined);
    const health = slack.channel.health();
    expect(health.state).toBe("up");
    expect(health.detail).toContain("T0001 (account_inactive)");
    expect(health.detail).toContain(`${publicUrl}/slack/install`);
  });

  it("answers nothing but GET, and only where it is offered", async () => {
    const slack = await start();
    const posted = await slack.channel.webhook(new Request(`${publicUrl}/slack/install`, { method: "POST" }));
    expect(posted.status).toBe(405);
    expect(slack.channel.routes).toEqual(["/slack/events", "/slack/install", "/slack/oauth_redirect"]);
  });
});

it("offers no installation where one token serves one workspace", async () => {
  const slack = await start({ oauth: false });
  expect(slack.channel.routes).toEqual(["/slack/events"]);
  const answer = await slack.channel.webhook(new Request(`${publicUrl}/slack/install`));
  expect(answer.status).toBe(404);
});
