// The built server with Slack configured, against Slack on loopback: a command to its report, a dismissal, the Home, a crash, a wrong token.
import { writeFileSync } from "node:fs";
import { get, type ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { type RunningServer, startProduct } from "../fakes/product-process.ts";
import { appToken, type SlackPlatform, startSlackPlatform } from "../fakes/slack/platform.ts";
import type { FakeMessage } from "../fakes/slack/web-api-state.ts";
import { signedRequest, signingSecret, tokenKey } from "../fakes/slack/workspace.ts";

let platform: SlackPlatform;
let folder: ReturnType<typeof temporaryDirectory>;
let server: RunningServer | undefined;
/** Called after every call of the product. */
let called: () => void;

beforeEach(async () => {
  platform = await startSlackPlatform(createSystemClock());
  called = () => undefined;
  platform.slack.server.on("request", (_request, response: ServerResponse) => response.once("close", () => called()));
  folder = temporaryDirectory("aicr-slack-");
  configure(["bot_token_env: SLACK_BOT_TOKEN", "app_token_env: SLACK_APP_TOKEN"]);
});

afterEach(async () => {
  await server?.kill();
  server = undefined;
  await platform.stop();
  folder.remove();
});

function configure(lines: readonly string[], server = "port: 0"): void {
  const config = [
    `server: { ${server} }`,
    "repositories: [{ alias: demo, demo: true }]",
    "roles: [{ role: maintainer, channel: slack, workspace: T0001, groups: [S0001] }]",
    "channels:",
    "  web: { enabled: false }",
    "  slack:",
    ...[...lines, `api_url: ${platform.slack.url}`].map((line) => `    ${line}`),
  ];
  writeFileSync(join(folder.path, "aicr-bot.yaml"), `${config.join("\n")}\n`);
}

async function start(env: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const tokens = { SLACK_BOT_TOKEN: platform.slack.bot.token, SLACK_APP_TOKEN: appToken };
  server = await startProduct([], { cwd: folder.path, env: { ...tokens, ...env } });
  return server;
}

/** Waits for the calls of the product, which works in a process of its own, until one has left what is looked for. */
async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise<void>((resolve) => {
      called = resolve;
    });
  }
}

/** As a browser: `fetch` would say itself how it was called. */
function browse(address: string, headers: Readonly<Record<string, string>>): Promise<readonly [number, string]> {
  return new Promise((resolve, reject) => {
    get(address, { headers }, (response) => {
      text(response).then((body) => resolve([response.statusCode ?? 0, body]), reject);
    }).once("error", reject);
  });
}

const messages = (): readonly FakeMessage[] => platform.slack.team.conversations.get("C0001")?.messages ?? [];
const roots = (): readonly FakeMessage[] =>
  messages().filter(
    ({ botId, thread, onlyFor }) => botId !== undefined && thread === undefined && onlyFor === undefined,
  );

interface Node {
  readonly type?: string;
  readonly value?: string;
  readonly action_id?: string;
  readonly text?: { readonly text?: string };
}

function allOf(value: unknown): readonly Node[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Node, ...Object.values(value).flatMap(allOf)];
}

function buttonOf({ blocks }: FakeMessage, label: string): Node | undefined {
  return allOf(blocks).find(({ type, text }) => type === "button" && text?.text === label);
}

/** A review takes a while on a busy machine, ms. */
const REVIEW_MS = 180_000;

it(
  "reviews when asked, posts the report with its thread, and takes a dismissal with its reason",
  async () => {
    await start();
    const { sockets, payloads, slack } = platform;
    await sockets.whenLive(2);
    await sockets.deliver("slash_commands", payloads.slash("/review", "demo HEAD", "U0002", "C0001"));
    const finding = await until(() => messages().find((message) => buttonOf(message, "Dismiss") !== undefined));
    expect(roots().map(({ ts }) => ts)).toEqual([finding.thread]);
    expect(
      messages()
        .filter(({ onlyFor }) => onlyFor !== undefined)
        .map(({ onlyFor }) => onlyFor),
    ).toContain("U0002");

    const dismiss = buttonOf(finding, "Dismiss");
    const place = { user: "U0002", conversation: "C0001", message: finding.ts, thread: finding.thread ?? "" };
    const { action_id: actionId = "", value = "" } = dismiss ?? {};
    await sockets.deliver("interactive", payloads.press({ ...place, actionId, value }));
    const view = await until(() => [...slack.team.views.values()].at(-1));
    const reason = { reason: { type: "plain_text_input", value: "known since spring" } };
    const { payload } = await sockets.deliver("interactive", payloads.submission("U0002", view, reason));
    expect(payload).toEqual({});
    const edited = await until(() =>
      messages().find((one) => JSON.stringify(one.blocks).includes("known since spring")),
    );
    expect(edited.ts).toBe(finding.ts);
    expect(edited.edits).toBeGreaterThan(0);
    expect(sockets.faults).toEqual([]);
  },
  REVIEW_MS,
);

it(
  "subscribes from the Home, and then lists there what is open",
  async () => {
    await start();
    const { sockets, payloads, slack } = platform;
    await sockets.whenLive(2);
    slack.team.conversations.set("D0002", {
      id: "D0002",
      kind: "im",
      members: new Set(["U0002", slack.bot.botUserId]),
      isArchived: false,
      messages: [],
    });
    const open = (): Promise<unknown> =>
      sockets.deliver(
        "events_api",
        payloads.event({ type: "app_home_opened", user: "U0002", channel: "D0002", tab: "home", event_ts: "1" }),
      );
    await open();
    const home = await until(() => slack.team.homes.get("U0002"));
    expect(JSON.stringify(home.view)).toContain("You have subscribed to nothing yet");
    const press = { type: "button", action_id: "aicr_subscribe_open" };
    await sockets.deliver("interactive", payloads.pressInView("U0002", home, press));
    const first = await until(() => [...slack.team.views.values()].find(({ view }) => view["type"] === "modal"));
    const choice = { type: "conversations_select", action_id: "conversation", selected_conversation: "C0001" };
    await sockets.deliver("interactive", payloads.pressInView("U0002", first, choice));
    const second = await until(() => [...slack.team.views.values()].find(({ view }) => view["submit"] !== undefined));
    const values = {
      repository: { type: "static_select", selected_option: { value: "demo" } },
      filters: { type: "plain_text_input", value: "severity:high" },
    };
    await sockets.deliver("interactive", payloads.submission("U0002", second, values));
    await until(() => roots().find(({ text }) => text.includes("demo")));
    const listed = await until(() => {
      const shown = JSON.stringify(slack.team.homes.get("U0002")?.view);
      return shown.includes("1 subscription of yours") ? shown : undefined;
    });
    expect(listed).toContain("demo in #reviews");
    expect(listed).toContain("severity:high");
  },
  REVIEW_MS,
);

it(
  "takes a command once, though it is killed and Slack sends the envelope again, and stops in order",
  async () => {
    const first = await start();
    const { sockets, payloads } = platform;
    await sockets.whenLive(2);
    const command = payloads.slash("/review", "demo HEAD", "U0002", "C0001");
    await sockets.deliver("slash_commands", command);
    await first.kill();
    await sockets.whenLive(0);
    const again = await start();
    await sockets.whenLive(2);
    await sockets.deliver("slash_commands", command);
    await until(() => messages().find((message) => buttonOf(message, "Dismiss") !== undefined));
    expect(roots()).toHaveLength(1);
    again.child.kill("SIGTERM");
    expect(await again.ended).toBe(0);
    await sockets.whenLive(0);
    expect(again.output.stdout + again.output.stderr).not.toMatch(/xoxb-|xapp-/);
  },
  REVIEW_MS,
);

it(
  "is installed over HTTP, keeps its token sealed in SQLite beyond a restart, and answers signed posts",
  async () => {
    const { slack, payloads } = platform;
    const secrets = {
      SLACK_SIGNING_SECRET: signingSecret,
      SLACK_CLIENT_SECRET: slack.oauth.clientSecret,
      SLACK_TOKEN_KEY: tokenKey,
    };
    const oauth = `client_id: "${slack.oauth.clientId}", client_secret_env: SLACK_CLIENT_SECRET, token_key_envs: [SLACK_TOKEN_KEY]`;
    configure(
      ["transport: http", "signing_secret_env: SLACK_SIGNING_SECRET", `oauth: { ${oauth} }`],
      "port: 0, public_url: https://bot.example.com",
    );
    const first = await start(secrets);
    const begun = await fetch(`${first.url}/slack/install`, { redirect: "manual" });
    expect(begun.status).toBe(302);
    const state = new URL(begun.headers.get("location") ?? "").searchParams.get("state") ?? "";
    const code = slack.oauth.consent("T0001", "https://bot.example.com/slack/oauth_redirect");
    const back = `${first.url}/slack/oauth_redirect?${new URLSearchParams({ code, state })}`;
    // As a browser comes back from Slack's page.
    const headers = {
      cookie: begun.headers.get("set-cookie")?.split(";")[0] ?? "",
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
    };
    expect(await browse(back, headers)).toEqual([200, expect.stringContaining("installed")]);
    await first.kill();

    const second = await start(secrets);
    const post = async (secret: string): Promise<number> => {
      const form = Object.entries(payloads.slash("/review", "repos", "U0002", "C0001"));
      const body = new URLSearchParams(form.map(([name, value]): [string, string] => [name, String(value)])).toString();
      const type = "application/x-www-form-urlencoded";
      const signed = signedRequest(body, type, createSystemClock(), {}, secret);
      return (await fetch(`${second.url}/slack/events`, { method: "POST", headers: signed.headers, body })).status;
    };
    expect(await post("another secret")).toBe(401);
    expect(await post(signingSecret)).toBe(200);
    const answer = await until(() => messages().find(({ onlyFor }) => onlyFor === "U0002"));
    expect(answer.text).toContain("1 repository");
    const said = second.output.stdout + second.output.stderr;
    for (const secret of Object.values(secrets)) expect(said).not.toContain(secret);
  },
  REVIEW_MS,
);

it.each([
  ["SLACK_BOT_TOKEN", "xoxb-wrong-5d1f", "bot's token"],
  ["SLACK_APP_TOKEN", "xapp-wrong-5d1f", "app-level token"],
])(
  "ends with 78 when Slack refuses %s, and says nothing of it",
  async (name, token, what) => {
    const refused = await start({ [name]: token });
    expect(await refused.ended).toBe(78);
    const said = refused.output.stdout + refused.output.stderr;
    expect(said).toContain(what);
    expect(said).not.toContain(token);
  },
  REVIEW_MS,
);
