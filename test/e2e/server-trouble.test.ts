// What keeps the server from starting or working is said in a sentence with a remedy, and never as a stack trace.
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { joinChat } from "../fakes/chat-client.ts";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { type Ended, runCommand, startProduct } from "../fakes/product-process.ts";

const root = temporaryDirectory("aicr-trouble-");
afterAll(() => root.remove());

function folder(name: string, config: string): string {
  const path = join(root.path, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "aicr-bot.yaml"), config);
  return path;
}

const serve = (cwd: string): Promise<Ended> => runCommand(["serve"], { cwd });
const demo = "repositories:\n  - alias: demo\n    demo: true\n";

describe("a start that cannot be", () => {
  it("E22: an unknown configuration key is refused with its line", async () => {
    const ended = await serve(folder("unknown-key", `server:\n  port: 0\n  adress: 127.0.0.1\n${demo}`));
    expect(ended).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(
        /^aicr-bot\.yaml:3:3 server\.adress is not a setting[^\n]*\nCorrect that line and start again\.\n$/u,
      ),
    });
  });

  it("says every mistake of a file at once, each with its line", async () => {
    const ended = await serve(folder("mistakes", "language: klingon\nserver:\n  port: many\n"));
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/^aicr-bot\.yaml:1:11 .+\naicr-bot\.yaml:3:9 .+\nCorrect these lines/u);
  });

  it("says who holds the port, and what to do", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const ended = await serve(folder("busy", `server:\n  port: ${port}\n${demo}`));
    other.close();
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(withoutLog(ended.stderr)).toBe(
      `Port ${port} on 127.0.0.1 is taken by another program.\n` +
        "Stop the other program (perhaps an earlier start of this bot), or set another port in server.port.\n",
    );
  });

  it("says where a template is broken", async () => {
    const cwd = folder("template", `server:\n  port: 0\ntemplates:\n  folders: [./texts]\n${demo}`);
    mkdirSync(join(cwd, "texts"));
    writeFileSync(join(cwd, "texts/report.md"), "# {{ title }}\n\n{% for problem in %}\n");
    const ended = await serve(cwd);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(withoutLog(ended.stderr)).toContain(`${join(cwd, "texts/report.md")}:3`);
    expect(ended.stderr).not.toMatch(/^\s+at /mu);
  });

  it("says that the data directory is a file", async () => {
    const cwd = folder("data", `server:\n  port: 0\ndata_dir: ./taken\n${demo}`);
    writeFileSync(join(cwd, "taken"), "");
    const ended = await serve(cwd);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/taken is a file, where the data directory belongs\.\nMove that file away/u);
  });
});

const disk = smallDisk();

describe.skipIf(disk === null)(`a full disk${disk === null ? " (skipped: this user may not mount one)" : ""}`, () => {
  afterAll(() => disk?.remove());

  it("refuses what it cannot keep, says so, and goes on by itself once there is space", async () => {
    const mounted = disk?.path ?? "";
    const cwd = folder("full", `server:\n  port: 0\ndata_dir: ${join(mounted, "data")}\n${demo}`);
    const server = await startProduct([], { cwd });
    const chat = await joinChat(server.url);
    fill(join(mounted, "ballast"));

    let refused = { status: 202, body: {} as unknown };
    // The store's log has pages to spare for a while.
    for (let index = 0; refused.status === 202 && index < 500; index++) refused = await chat.post("x".repeat(4_000));
    expect(refused).toEqual({
      status: 503,
      body: {
        error: {
          code: "unavailable",
          message: "The store's disk is full.",
          remedy: expect.stringContaining("Free some space"),
        },
      },
    });
    expect(await chat.get("/readyz")).toMatchObject({
      status: 503,
      body: { ok: false, detail: { store: { ok: false, detail: expect.stringContaining("disk is full") } } },
    });
    const kept = (await chat.history()).length;

    rmSync(join(mounted, "ballast"));
    const { reviewId } = await chat.say("/review demo HEAD~1");
    expect(await chat.review(reviewId, "skipped", "failed")).toMatchObject({ status: "skipped" });
    expect((await chat.get("/readyz")).status).toBe(200);
    expect((await chat.history()).length).toBeGreaterThan(Math.min(kept, 199) - 1);
    expect(server.output.stderr).not.toMatch(/^\s+at /mu);
    chat.close();
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
  });
});

/** A disk of 6 MiB, or null where this user may not mount one. */
function smallDisk(): { readonly path: string; remove(): void } | null {
  if (process.platform !== "linux") return null;
  const made = temporaryDirectory("aicr-disk-");
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=6m", "tmpfs", made.path], { stdio: "ignore" });
  } catch {
    made.remove();
    return null;
  }
  return {
    path: made.path,
    remove() {
      execFileSync("umount", [made.path]);
      made.remove();
    },
  };
}

/** Writes until nothing more goes in. */
function fill(file: string): void {
  const handle = openSync(file, "w");
  const block = Buffer.alloc(4_096, 1);
  try {
    for (;;) writeSync(handle, block);
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: "ENOSPC" });
  } finally {
    closeSync(handle);
  }
}

/** What a person reads: the log's lines, which are JSON, left out. */
function withoutLog(stderr: string): string {
  return stderr.replace(/^\{.*\}\n/gmu, "");
}
