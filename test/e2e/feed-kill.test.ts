// A push that was acknowledged survives the process: killed after the 202, the review runs after the restart.
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { joinChat } from "../fakes/chat-client.ts";
import { createRepository, temporaryDirectory } from "../fakes/git-repository.ts";
import { type RunningServer, startProduct } from "../fakes/product-process.ts";

const secret = "a secret of the hook";
const config = `
server: { port: 0 }
repositories:
  - { alias: game, path: game.git, poll_seconds: 0 }
subscriptions:
  - repository: game
    conversation: { channel: web, conversation: main }
webhooks:
  - { provider: github, secret_env: HOOK_SECRET, repositories: [game], names: { game: team/game } }
`;

test("E5: kill -9 after the 202: the review still runs after the restart", { timeout: 60_000 }, async () => {
  const folder = temporaryDirectory("aicr-kill-");
  onTestFinished(folder.remove);
  writeFileSync(join(folder.path, "aicr-bot.yaml"), config);
  const git = createRepository({ bare: true, path: join(folder.path, "game.git") });
  const [before = ""] = git.commit({ files: { "src/a.ts": "export const a = 1;\n" } });
  const [after = ""] = git.commit({ files: { "src/a.ts": "export const a = 1;\ndebugger;\n" } });
  const start = (): Promise<RunningServer> => startProduct([], { cwd: folder.path, env: { HOOK_SECRET: secret } });

  const first = await start();
  const body = JSON.stringify({ ref: "refs/heads/main", before, after, repository: { full_name: "team/game" } });
  const post = (url: string, delivery: string): Promise<Response> =>
    fetch(`${url}/webhooks/github`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-github-event": "push",
        "x-github-delivery": delivery,
        "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
      },
      body,
    });
  const answer = await post(first.url, "6f2d0a52-0000-4000-8000-000000000001");
  expect(answer.status).toBe(202);
  const text = await answer.text();
  await first.kill();
  const { reviewId } = JSON.parse(text) as { readonly reviewId?: string };
  expect(reviewId).toMatch(/^rv_/u);

  const second = await start();
  onTestFinished(() => second.kill());
  const chat = await joinChat(second.url);
  onTestFinished(chat.close);
  const review = await chat.review(reviewId, "reported", "clean", "skipped", "failed");
  expect(review["status"]).toBe("reported");
  const again = await post(second.url, "6f2d0a52-0000-4000-8000-000000000001");
  expect(again.status).toBe(202);
  expect(await again.json()).not.toHaveProperty("reviewId");
  const card = await chat.event(({ message }) => message.card !== undefined && message.from === "bot");
  expect(JSON.stringify(card.message)).toContain("game");
});
