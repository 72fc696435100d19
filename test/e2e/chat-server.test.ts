// A person at the real page of the real server: a review typed on the keyboard, its progress, the card and its thread; and on a phone.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { type RunningServer, startProduct } from "../fakes/product-process.ts";
import { describeWithPeer } from "../peers.ts";

/** Elements whose content is wider than they are and hidden; what only screen readers see is no wider than a dot. */
const cutOff = `[...document.querySelectorAll("body *")]
  .filter((one) => one.clientWidth > 16 && one.scrollWidth > one.clientWidth + 1)
  .filter((one) => ["hidden", "clip"].includes(getComputedStyle(one).overflowX))
  .map((one) => one.className + ": " + one.textContent.slice(0, 60))`;

describeWithPeer("chromium", "the chat with its server", (executablePath) => {
  const folder = temporaryDirectory("aicr-chat-");
  let browser: Browser;
  let server: RunningServer;

  beforeAll(async () => {
    writeFileSync(
      join(folder.path, "aicr-bot.yaml"),
      "server:\n  port: 0\nrepositories:\n  - alias: demo\n    demo: true\n",
    );
    server = await startProduct([], { cwd: folder.path });
    browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
  });
  afterAll(async () => {
    await browser.close();
    await server.kill();
    folder.remove();
  });

  async function open(options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext({ reducedMotion: "reduce", ...options });
    const page = await context.newPage();
    await page.goto(server.url);
    await page.waitForSelector('#connection[data-state="online"]');
    return page;
  }

  it("offers as examples only what can be reviewed here", async () => {
    const page = await open({ locale: "en" });
    await page.getByRole("button", { name: "/review . HEAD" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "/review demo HEAD" }).first().waitFor();
    await page.getByRole("button", { name: "help" }).first().waitFor();
    await page.context().close();
  });

  it("reviews what is typed: accepted at once, progress in place, then the card with its thread", async () => {
    const page = await open({ locale: "en" });
    const seen: string[] = [];
    await page.exposeFunction("noteProgress", (text: string) => seen.push(text));
    await page.evaluate(`new MutationObserver(() => {
      const note = document.querySelector("#log .private h2, #log .private [role=heading], #log .private");
      if (note !== null) noteProgress(note.textContent);
    }).observe(document.getElementById("log"), { childList: true, subtree: true, characterData: true })`);
    await page.keyboard.type("/review demo HEAD");
    await page.keyboard.press("Enter");

    const root = page.locator("#log > .entry", { has: page.getByRole("heading", { name: /^\d+ problems in demo$/u }) });
    await root.waitFor();
    await page.getByRole("heading", { name: /^Reviewed demo HEAD: \d+ problems$/u }).waitFor();
    expect(new Set(seen.map((text) => text.replace(/\d+:\d+.*$/u, ""))).size).toBeGreaterThanOrEqual(3);
    const count = Number.parseInt((await root.getByRole("heading").first().textContent()) ?? "", 10);
    expect(count).toBeGreaterThanOrEqual(8);
    await root
      .locator(".thread .entry")
      .nth(count - 1)
      .waitFor({ state: "attached" });
    expect(await root.locator(".thread .entry").count()).toBe(count);
    await page.getByRole("heading", { name: "Critical · config/archive.env:2" }).waitFor();
    expect(await root.locator(".line.marked").first().getAttribute("data-number")).toBe("2");
    expect(await page.getByText("Only you see this").count()).toBe(1);
    expect(await root.textContent()).not.toMatch(/AKIA[0-9A-Z]{16}/u);
    await page.context().close();
  });

  it("cuts nothing off at 360 px, in the dark and in Simplified Chinese", async () => {
    const page = await open({ locale: "zh-CN", colorScheme: "dark", viewport: { width: 360, height: 740 } });
    await page.keyboard.type("/review demo feature/discounts");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "src/discounts.ts:10" }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    expect(await page.evaluate(cutOff)).toEqual([]);
    await page.context().close();
  });
});
