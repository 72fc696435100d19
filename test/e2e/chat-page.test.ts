// The chat page in a real browser: by keyboard alone, on a phone, in both themes and three languages, against hostile cards.
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { webChannelConfig } from "../../channels/web/config.ts";
import { createWebChannel } from "../../channels/web/index.ts";
import { createHttpServer, type HttpServer } from "../../src/http/server.ts";
import type { Channel } from "../../src/ports/channel.ts";
import type { ChatLog } from "../../src/ports/store.ts";
import { createSystemClock } from "../../src/process/system-clock.ts";
import { createPageAssets } from "../../src/web/page-assets.ts";
import { createMemoryChatLog } from "../fakes/chat-log.ts";
import { createFixedIds } from "../fakes/fixed-ids.ts";
import { help, hostile, nothing, replies, root, steps } from "../fakes/sample-cards.ts";
import { createScriptedInbox, playReview, type ScriptedInbox } from "../fakes/scripted-inbox.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import { describeWithPeer } from "../peers.ts";

const conversation = { channel: "web", workspace: "local", conversation: "main" };
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

describeWithPeer("chromium", "the chat page", (executablePath) => {
  let browser: Browser;
  let channel: Channel;
  let chat: ChatLog;
  let inbox: ScriptedInbox;
  let server: HttpServer;
  let url: string;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: flags });
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    chat = createMemoryChatLog();
    inbox = createScriptedInbox(
      async (inbound) => {
        if (inbound.text === "demo clean") return { page: { card: nothing }, visibility: "asker" };
        if (!inbound.text.startsWith("demo")) return { page: { card: help }, visibility: "asker" };
        const many = inbound.text === "demo many" ? Array.from({ length: 12 }, () => replies[1] ?? root) : replies;
        await playReview(channel, inbound, { steps, root, replies: many });
        return { page: null, visibility: "asker", reviewId: "rv_1" };
      },
      ["demo HEAD", "demo main", "help"],
    );
    await start(0);
  });
  afterEach(async () => {
    await page?.context().close();
    await stop();
  });

  async function start(port: number): Promise<void> {
    channel = createWebChannel({
      config: webChannelConfig.parse({}),
      chat,
      reviews: { get: async () => null },
      ids: createFixedIds(),
      clock: createSystemClock(),
      logger: silentLogger,
    });
    await channel.start(inbox);
    server = createHttpServer({
      host: "127.0.0.1",
      port,
      channels: [channel],
      readiness: async () => ({ ok: true, detail: {} }),
      asset: createPageAssets(),
      logger: silentLogger,
    });
    ({ url } = await server.listen());
  }

  async function stop(): Promise<void> {
    await channel.stop();
    await server.close();
  }

  async function open(options: BrowserContextOptions = {}, hash = ""): Promise<Page> {
    const context = await browser.newContext({ locale: "en", reducedMotion: "reduce", ...options });
    page = await context.newPage();
    complaints = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`${url}/${hash}`);
    await page.waitForSelector('#connection[data-state="online"]');
    return page;
  }

  const say = async (text: string): Promise<void> => {
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  };
  // As text, because the tests are compiled without a browser's types.
  const inPage = (expression: string): Promise<unknown> => page.evaluate(expression);
  const overflow = () => inPage("document.documentElement.scrollWidth - document.documentElement.clientWidth");

  it("takes a command by keyboard alone, and shows progress, report, thread and code", async () => {
    await open();
    await say("/review demo HEAD");
    await page.getByText("Reviewed demo HEAD: 2 problems").waitFor();
    await page.getByRole("heading", { name: "Medium · src/payments/limits.ts:9" }).waitFor();
    const report = page.locator("#log > .entry", { has: page.getByRole("heading", { name: "2 problems in demo" }) });
    expect(await report.locator(".thread .entry").count()).toBe(2);
    expect(await report.locator(".line.marked").count()).toBe(3 + 1);
    expect(await report.locator(".line.marked").first().getAttribute("data-number")).toBe("42");
    expect(await report.locator(".line.added").count()).toBe(1);
    // Line numbers are not part of what is copied.
    await inPage('getSelection().selectAllChildren(document.querySelector("#log pre"))');
    expect(await inPage("getSelection().toString()")).toMatch(/^export async function pay.*\n {2}for /);
    expect(await page.locator(".private").getByText("Only you see this").count()).toBe(1);
    expect(await page.locator("#composer-text").inputValue()).toBe("");
    expect(await page.locator("#announcer").textContent()).toBe(root.fallback);
    expect(inbox.commands.map(({ text, roles }) => [text, roles])).toEqual([["demo HEAD", ["admin"]]]);
    expect(complaints).toEqual([]);
  });

  it("brings back what was said, completes what is typed, and reaches everything with Tab", async () => {
    await open();
    await say("help");
    await page.getByRole("heading", { name: "Commands" }).waitFor();
    await page.keyboard.press("ArrowUp");
    expect(await page.locator("#composer-text").inputValue()).toBe("help");
    await page.keyboard.press("ArrowDown");
    expect(await page.locator("#composer-text").inputValue()).toBe("");
    await page.keyboard.type("de");
    await page.getByRole("option", { name: "demo main" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await page.locator("#composer-text").inputValue()).toBe("demo main");
    expect(inbox.commands).toHaveLength(1);

    await inPage("document.activeElement.blur()");
    const reached: string[] = [];
    for (let n = 0; n < 12; n++) {
      await page.keyboard.press("Tab");
      reached.push(String(await inPage("document.activeElement?.id || document.activeElement?.className")));
    }
    for (const stop of ["skip", "language", "theme", "chip", "composer-text", "send"]) expect(reached).toContain(stop);
  });

  it("asks for a reason by keyboard alone, and shows the outcome where the button was", async () => {
    const form = {
      title: "Why?",
      token: "v1:dismiss0001",
      fields: [{ name: "reason", label: "Reason", multiline: false, required: true }],
    };
    const given: string[] = [];
    inbox.action = async (inbound) => {
      const { reason } = inbound.values;
      if (reason === undefined) return channel.ask(inbound, form);
      given.push(reason);
      const reopen = { label: "Reopen", token: "v1:reopen0001", style: "default" } as const;
      const card = {
        title: "Dismissed",
        tone: "neutral",
        fallback: "",
        blocks: [{ kind: "actions", actions: [reopen] }],
      } as const;
      return channel.edit(inbound.message, { card });
    };
    await open();
    await say("/review demo HEAD");
    const dismiss = page.getByRole("button", { name: "Dismiss" });
    await dismiss.focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Reason").waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByLabel("Reason").count()).toBe(0);
    expect(await inPage("document.activeElement.textContent")).toBe("Dismiss");
    await page.keyboard.press("Enter");
    await page.getByLabel("Reason").waitFor();
    await page.keyboard.type("by design");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Reopen" }).waitFor();
    await expect.poll(() => inPage("document.activeElement.textContent")).toBe("Reopen");
    expect(given).toEqual(["by design"]);
    expect(complaints).toEqual([]);
  });

  it("presses buttons of cards", async () => {
    await open();
    await say("demo HEAD");
    await page.getByRole("button", { name: "Dismiss" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => inbox.actions.map(({ token }) => token)).toEqual(["v1:dismiss0001"]);
  });

  it("folds a long thread, and unfolds it", async () => {
    await open();
    await say("demo many");
    const toggle = page.getByRole("button", { name: "Show all 12 replies" });
    await toggle.waitFor();
    expect(await page.locator(".thread .entry:visible").count()).toBe(6);
    await toggle.focus();
    await page.keyboard.press("Enter");
    expect(await page.locator(".thread .entry:visible").count()).toBe(12);
    expect(await inPage("document.activeElement?.textContent")).toBe("Show fewer replies");
  });

  it("fits a phone of 360 px, with a report and without", async () => {
    await open({ viewport: { width: 360, height: 740 } });
    expect(await overflow()).toBe(0);
    await say("demo HEAD");
    await page.getByRole("heading", { name: "Medium · src/payments/limits.ts:9" }).waitFor();
    expect(await overflow()).toBe(0);
    const bar = await page.locator(".bar").boundingBox();
    expect(bar?.height).toBeLessThan(60);
  });

  it("follows the system's theme, and a choice that lasts", async () => {
    const ground = () => inPage("getComputedStyle(document.documentElement).backgroundColor");
    await open({ colorScheme: "dark" });
    const dark = await ground();
    await page.emulateMedia({ colorScheme: "light" });
    const light = await ground();
    expect(dark).not.toBe(light);
    await page.getByRole("button", { name: "Theme: like the system" }).click();
    await page.getByRole("button", { name: "Theme: light" }).click();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
    expect(await ground()).toBe(dark);
    await page.reload();
    await page.getByRole("button", { name: "Theme: dark" }).click();
    await page.getByRole("button", { name: "Theme: like the system" }).waitFor();
    expect(await ground()).toBe(light);
  });

  it.each([
    ["zh-TW", "zh-CN", "要我看哪个变更？", "仅你可见"],
    ["vi-VN", "vi", "Bạn muốn tôi xem thay đổi nào?", "Chỉ bạn thấy"],
    ["fr-FR", "en", "Which change shall I look at?", "Only you see this"],
  ])(
    "speaks to a browser in %s in %s, and asks the bot for that language",
    async (locale, language, title, onlyYou) => {
      await open({ locale });
      await page.getByRole("heading", { name: title }).waitFor();
      expect(await inPage("document.documentElement.lang")).toBe(language);
      await say("demo clean");
      await page.getByText(onlyYou).waitFor();
      expect(inbox.commands[0]?.locale).toBe(language);
      await page.getByRole("combobox", { name: /Language|语言|Ngôn ngữ/ }).selectOption("vi");
      await page.getByText("Chỉ bạn thấy").waitFor();
      expect(await page.getByRole("button", { name: "Gửi" }).count()).toBe(1);
    },
  );

  it("shows hostile cards as text: nothing runs, nothing loads, no link leads out of the web", async () => {
    await open();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await channel.send({ conversation }, { card: hostile }, "dl_1/0");
    await page.getByText("or even me").waitFor();
    expect(await inPage('"hacked" in window')).toBe(false);
    expect(await page.locator("#log img, #log script, #log svg, #log i, #log b").count()).toBe(0);
    expect(await page.locator("#log a").count()).toBe(1);
    expect(await page.locator("#log a").getAttribute("href")).toBe("https://tracker.example.org/pixel.png");
    expect(await page.locator("#log a").first().getAttribute("rel")).toContain("noopener");
    expect(requests).toEqual([]);
    expect(await page.getByRole("heading", { name: '<img src=x onerror="window.hacked = 1">' }).count()).toBe(1);
  });

  it("keeps a message that could not be sent, and comes back by itself when the bot does", async () => {
    await open();
    const { port } = new URL(url);
    await stop();
    await page.waitForSelector('#connection[data-state="offline"]');
    await say("help");
    await page.getByRole("alert").getByText("did not reach the bot").waitFor();
    expect(await page.locator("#composer-text").inputValue()).toBe("help");
    await start(Number(port));
    await channel.send({ conversation }, { card: nothing }, "dl_1/0");
    await page.getByRole("heading", { name: nothing.title }).waitFor();
    await page.waitForSelector('#connection[data-state="online"]');
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Commands" }).waitFor();
    expect(await page.locator(".said").count()).toBe(1);
  });

  it("opens at the message that the address names, in its conversation", async () => {
    for (let n = 0; n < 30; n++) await channel.send({ conversation }, { card: nothing }, `dl_${n}/0`);
    await open({}, "#main/ms_000005");
    const box = await page.locator("#ms_000005").boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect(box?.y).toBeLessThan(200);
  });
});
