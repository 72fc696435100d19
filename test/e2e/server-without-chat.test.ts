// A server whose chat page is switched off serves neither the page nor its API, and still says that it is well.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { startProduct } from "../fakes/product-process.ts";

test("channels.web.enabled: false is obeyed", async () => {
  const folder = temporaryDirectory("aicr-no-chat-");
  onTestFinished(folder.remove);
  const config =
    "server: { port: 0 }\nrepositories: [{ alias: demo, demo: true }]\nchannels: { web: { enabled: false } }\n";
  writeFileSync(join(folder.path, "aicr-bot.yaml"), config);
  const server = await startProduct([], { cwd: folder.path });
  onTestFinished(() => server.kill());
  expect(server.output.stdout).not.toContain("Open it");
  const status = async (path: string): Promise<number> => (await fetch(`${server.url}${path}`)).status;
  expect(await status("/")).toBe(404);
  expect(await status("/api/conversations/main/messages")).toBe(404);
  expect(await status("/healthz")).toBe(200);
  expect(await status("/readyz")).toBe(200);
});
