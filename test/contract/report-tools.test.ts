// The contract of the report tools, over the in-process executor, stdio and Streamable HTTP.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { setCurrentRun, writeChangeFile } from "../../src/report-tools/change-file.ts";
import { createChangeWatch } from "../../src/report-tools/change-watch.ts";
import { executeTool } from "../../src/report-tools/execute-tool.ts";
import { createReportTools } from "../../src/report-tools/registry.ts";
import { createReportState } from "../../src/report-tools/report-state.ts";
import { stateFileName } from "../../src/report-tools/state-file.ts";
import { changeFacts, currentRunId } from "../fakes/change-facts.ts";
import { type CallAnswer, describeReportTools, type ReportToolsPeer } from "./report-tools.ts";

const server = fileURLToPath(new URL("../../dist/mcp-output.mjs", import.meta.url));

describeReportTools("the in-process executor", async () => {
  const run = await makeRun();
  const tools = createReportTools({
    state: createReportState(run.statePath, currentRunId),
    change: createChangeWatch(run.changePath),
    version: "1.0.0",
  });
  return {
    ...run.peer,
    list: () => Promise.resolve(tools.tools),
    call: (name, input) => executeTool(tools, name, input),
    close: run.remove,
  };
});

describeReportTools("stdio", async () => {
  const run = await makeRun();
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server], env: run.env }));
  return {
    ...run.peer,
    ...through(client),
    async close() {
      await client.close();
      await run.remove();
    },
  };
});

describeReportTools("Streamable HTTP", async () => {
  const run = await makeRun();
  const token = "a secret of the test";
  const child = spawn(process.execPath, [server, "--transport", "http", "--port", "0"], {
    env: { ...run.env, AICR_MCP_TOKEN: token },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(await announced(child)), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  // The SDK's class declares optional members that its own interface forbids under exact optional types.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return {
    ...run.peer,
    ...through(client),
    async close() {
      await client.close();
      child.kill("SIGTERM");
      await once(child, "exit");
      await run.remove();
    },
  };
});

async function makeRun() {
  const root = await mkdtemp(join(tmpdir(), "aicr-run-"));
  const agent = join(root, "agent");
  await mkdir(agent);
  const changePath = join(root, "change.json");
  const statePath = join(agent, stateFileName);
  writeChangeFile(changePath, changeFacts());
  return {
    changePath,
    statePath,
    env: { AICR_OUTPUT_STATE_PATH: statePath, AICR_CHANGE_PATH: changePath, AICR_RUN_ID: currentRunId },
    remove: () => rm(root, { recursive: true, force: true }),
    peer: {
      statePath,
      endPass: () => setCurrentRun(changePath, "rv_1-1.22"),
      loseDirectory: () => rm(agent, { recursive: true }),
    } satisfies Partial<ReportToolsPeer>,
  };
}

function through(client: Client): Pick<ReportToolsPeer, "list" | "call"> {
  return {
    list: async () => (await client.listTools()).tools,
    async call(name, input): Promise<CallAnswer> {
      // Without `callTool`, which would refuse names that the server did not list.
      const result = await client.request(
        { method: "tools/call", params: { name, arguments: input } },
        CallToolResultSchema,
      );
      const [content] = result.content;
      return {
        text: content?.type === "text" ? content.text : "",
        structured: result.structuredContent,
        isError: result.isError === true,
      };
    },
  };
}

async function announced(child: ChildProcess): Promise<string> {
  const [chunk] = (await once(child.stderr ?? child, "data")) as [Buffer];
  const url = /http:\S+/.exec(chunk.toString())?.[0];
  if (url === undefined) throw new Error(chunk.toString());
  return url;
}
