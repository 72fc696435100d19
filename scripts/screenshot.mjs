// Takes docs/chat.png: the built product on a free port, two requests typed in a real browser, 1200×1000, light, English.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = process.argv[2] ?? join(root, "docs/chat.png");
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const folder = await mkdtemp(join(tmpdir(), "aicr-screenshot-"));
await writeFile(join(folder, "aicr-bot.yaml"), "server:\n  port: 0\nrepositories:\n  - alias: demo\n    demo: true\n");

const server = spawn(process.execPath, [join(root, "dist/main.mjs")], {
  cwd: folder,
  stdio: ["ignore", "pipe", "ignore"],
});
const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
try {
  const url = await new Promise((resolve, reject) => {
    let said = "";
    server.once("exit", () => reject(new Error("The server did not start.")));
    server.stdout.setEncoding("utf8").on("data", (text) => {
      said += text;
      const address = /http:\S+/.exec(said)?.[0];
      if (address !== undefined) resolve(address);
    });
  });
  // A larger page at a smaller scale: request, answer, report and thread fit into one picture.
  const viewport = { width: 1620, height: 1350 };
  const look = { locale: "en", viewport, deviceScaleFactor: 20 / 27, colorScheme: "light", reducedMotion: "reduce" };
  const context = await browser.newContext(look);
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector('#connection[data-state="online"]');
  const say = async (text, answer) => {
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
    await page.getByText(answer).first().waitFor({ timeout: 120_000 });
  };
  await say("/review demo feature/discounts", "Reviewed demo feature/discounts: 2 problems");
  await page.locator(".thread .entry").nth(1).waitFor();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: target });
} finally {
  await browser.close();
  server.kill("SIGTERM");
  await new Promise((resolve) => server.once("close", resolve));
  await rm(folder, { recursive: true, force: true });
}
