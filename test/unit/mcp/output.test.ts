// The command: options and environment, and which state each HTTP session writes.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseOutputArgs, runMcpOutput } from "../../../src/mcp/output.ts";

describe("parseOutputArgs", () => {
  it("serves stdio with canonical names unless told otherwise", () => {
    expect(parseOutputArgs([])).toEqual({ transport: "stdio", names: "canonical" });
    expect(parseOutputArgs(["--names", "underscore"])).toEqual({ transport: "stdio", names: "underscore" });
  });

  it("listens on loopback, port 3000", () => {
    expect(parseOutputArgs(["--transport", "http"])).toMatchObject({ host: "127.0.0.1", port: 3000 });
    expect(
      parseOutputArgs(["--transport=http", "--host=::1", "--port=0", "--allow-host=a", "--allow-host=b"]),
    ).toMatchObject({
      host: "::1",
      port: 0,
      allowedHosts: ["a", "b"],
    });
  });

  it.each([
    [["--transport", "carrier-pigeon"], "stdio or http"],
    [["--names", "dotted"], "canonical or underscore"],
    [["--transport", "http", "--port", "99999"], "0 to 65535"],
    [["--transport", "http", "--port", "x"], "0 to 65535"],
    [["--nonsense"], "--nonsense"],
    [["extra"], "extra"],
  ])("refuses %j", (argv, reason) => {
    expect(() => parseOutputArgs(argv)).toThrow(
      expect.objectContaining({ code: "bad_request", message: expect.stringContaining(reason) }),
    );
  });
});

describe("sessions of the HTTP server", () => {
  let folder: string;
  let stop: AbortController;
  let running: Promise<void>;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "aicr-output-"));
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await rm(folder, { recursive: true, force: true });
  });

  async function serve(env: Record<string, string>): Promise<() => Promise<Client>> {
    const url = await new Promise<string>((resolve) => {
      running = runMcpOutput(
        ["--transport", "http", "--port", "0"],
        { AICR_OUTPUT_STATE_PATH: join(folder, "state.json"), ...env },
        { version: "1.0.0", stop: stop.signal, announce: (text) => resolve(/http:\S+/.exec(text)?.[0] ?? "") },
      );
    });
    return async () => {
      const client = new Client({ name: "test", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Parameters<Client["connect"]>[0]);
      return client;
    };
  }

  const skip = (client: Client, reason: string) => client.callTool({ name: "aicr.skip", arguments: { reason } });
  const reasons = async () => {
    const files = (await readdir(folder)).sort();
    const read = files.map(async (name) => {
      const document = JSON.parse(await readFile(join(folder, name), "utf8")) as { skipReason: string };
      return [name.replace(/[0-9a-f-]{36}/, "<session>"), document.skipReason];
    });
    return Object.fromEntries(await Promise.all(read)) as Record<string, string>;
  };

  it("are apart in a server that was started by hand, the first with the plain path", async () => {
    const connect = await serve({});
    const [first, second] = [await connect(), await connect()];
    await Promise.all([skip(second, "of the second"), skip(first, "of the first")]);
    expect(await reasons()).toEqual({ "state.json": "of the first", "state.<session>.json": "of the second" });
    await Promise.all([first.close(), second.close()]);
  });

  it("share one state in a server that was started for a pass", async () => {
    const connect = await serve({ AICR_RUN_ID: "rv_1-1.1" });
    const [first, second] = [await connect(), await connect()];
    await skip(first, "of the first");
    await skip(second, "of the second");
    expect(await reasons()).toEqual({ "state.json": "of the second" });
    await Promise.all([first.close(), second.close()]);
  });
});
