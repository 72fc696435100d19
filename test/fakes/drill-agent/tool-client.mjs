// A small MCP client over stdio for drill agents: starts the server of an mcpServers file and calls its tools.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** @param {string} configPath @param {Record<string, string>} [overrides] variables of the server to replace */
export async function connectTools(configPath, overrides = {}) {
  const { command, args, env } = JSON.parse(readFileSync(configPath, "utf8")).mcpServers["aicr-output"];
  const server = spawn(command, args, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env.PATH, ...env, ...overrides },
  });
  const waiting = new Map();
  let lastId = 0;
  createInterface({ input: server.stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    waiting.get(id)?.(error === undefined ? result : { isError: true, content: [{ text: error.message }] });
    waiting.delete(id);
  });
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params) =>
    new Promise((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "drill", version: "1" },
  });
  send({ method: "notifications/initialized" });
  await request("tools/list", {});
  return {
    call: (name, input) => request("tools/call", { name, arguments: input }),
    problem: (line, message) =>
      request("tools/call", {
        name: "aicr.report_problem",
        arguments: { file: "src/service.ts", line, severity: "high", category: "correctness", message },
      }),
    close: () => server.stdin.end(),
  };
}
