// What a hostile or broken client and a failing disk do to a real tool server: one refused call each, never more.
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readState, stateFileName } from "../../src/report-tools/state-file.ts";
import { openSession, outputServer, type Reply, type StdioSession } from "./stdio-session.ts";

let folder: string;
let session: StdioSession | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aicr-bad-"));
});
afterEach(async () => {
  await session?.kill();
  await rm(folder, { recursive: true, force: true });
});

const problem = (message: string) => ({ file: "a.ts", line: 1, severity: "low", category: "c", message });
const textOf = (reply: Reply) => reply.result?.content?.[0]?.text ?? "";
const open = async (statePath: string, command?: readonly string[]) =>
  (session = await openSession({ AICR_OUTPUT_STATE_PATH: statePath }, command));

describe("a stdio server", () => {
  it("refuses 10 MB of arguments by naming the cap, and takes the next call", async () => {
    const server = await open(join(folder, stateFileName));
    const huge = await server.call(1, "aicr.report_problem", problem("x".repeat(10_000_000)));
    expect(textOf(huge)).toContain("message has 10000000 bytes; the cap is 8192 bytes");
    const [unread] = await Promise.all([
      new Promise<Reply>((resolve) => (server.onReply = resolve)),
      server.raw(
        JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { pad: "x".repeat(20_000_000) } }),
      ),
    ]);
    expect(unread.error?.message).toContain("may have at most");
    expect(await server.call(3, "aicr.report_problem", problem("m"))).toMatchObject({ result: { isError: false } });
  });

  it("survives malformed messages between good ones", async () => {
    const server = await open(join(folder, stateFileName));
    for (const line of [
      "",
      "{",
      "[]",
      "[{}]",
      "null",
      '"text"',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":{},"method":"x"}',
      "\u0000\u0001",
    ]) {
      server.raw(line);
    }
    server.raw('{"jsonrpc":"2.0","id":50,"method":"tools/call","params":{"name":5}}');
    server.raw('{"jsonrpc":"2.0","id":51,"method":"no/such/method"}');
    expect(await server.call(1, "aicr.report_problem", problem("m"))).toMatchObject({ result: { isError: false } });
    expect(readState(join(folder, stateFileName), "local")).toMatchObject({ kind: "ok" });
  });

  it("takes 10,000 calls, of which 500 distinct problems are kept", { timeout: 120_000 }, async () => {
    const server = await open(join(folder, stateFileName));
    const counts = { accepted: 0, duplicate: 0, refused: 0 };
    let answered = 0;
    await new Promise<void>((resolve) => {
      server.onReply = ({ result }) => {
        if (result?.isError === true) counts.refused++;
        else if (result?.structuredContent?.["duplicate"] === true) counts.duplicate++;
        else counts.accepted++;
        if (++answered === 10_000) resolve();
        else if (answered % 100 === 0) sendMore();
      };
      let next = 1;
      const sendMore = () => {
        for (let index = 0; index < 100; index++, next++)
          server.send(next, "aicr.report_problem", problem(`m${next % 600}`));
      };
      sendMore();
    });
    const first = 599;
    expect(counts.accepted).toBe(500);
    expect(counts.refused + counts.duplicate).toBe(9_500);
    expect(counts.refused).toBeGreaterThan(first - 500);
    const read = readState(join(folder, stateFileName), "local");
    expect(read.kind === "ok" && read.state.problems.length).toBe(500);
  });

  it("fails the call and says so when agent/ is no directory", async () => {
    await writeFile(join(folder, "agent"), "a file in the place of the directory");
    const server = await open(join(folder, "agent", stateFileName));
    const reply = await server.call(1, "aicr.report_problem", problem("m"));
    expect(reply.result?.isError).toBe(true);
    expect(textOf(reply)).toMatch(/could not be written \(ENOTDIR\).*Nothing that is not on disk is accepted/);
  });

  it("fails the call, keeps what was written, and recovers when the disk is full", async () => {
    const full = join(folder, "agent");
    await mkdir(full);
    // A limit on file size stands in for a full disk: it needs no mount and hits the same write.
    const limited = ["sh", "-c", 'trap "" XFSZ; ulimit -f 16; exec "$0" "$1"', process.execPath, outputServer];
    const server = await open(join(full, stateFileName), limited);
    const replies: Reply[] = [];
    for (let id = 1; id <= 6; id++)
      replies.push(await server.call(id, "aicr.report_problem", problem(`${id} ${"x".repeat(3_000)}`)));
    const accepted = replies.filter(({ result }) => result?.isError === false).length;
    expect(accepted).toBeGreaterThan(0);
    expect(accepted).toBeLessThan(6);
    expect(replies.map(textOf).at(-1)).toContain("could not be written (EFBIG)");
    expect(await server.call(7, "aicr.report_problem", problem("small"))).toMatchObject({ result: { isError: false } });
    const read = readState(join(full, stateFileName), "local");
    expect(read.kind === "ok" && read.state.problems.length).toBe(accepted + 1);
    expect(await readdir(full)).toEqual([stateFileName]);
  });
});
