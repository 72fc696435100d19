// An agent that reports something valid and then misbehaves: `main.mjs <misdeed> <mcp.json> <mark>`; the mark is in every child's arguments.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectTools } from "./tool-client.mjs";

const [misdeed, config, mark] = process.argv.slice(2);
const wait = () => new Promise(() => setInterval(() => undefined, 1_000));
/** Node, so that it is there in every sandbox; the mark lets the test look for survivors. */
const sleeper = ["-e", "setInterval(() => undefined, 1000)", mark];

/** Whether something forbidden can be done after all. */
const tries = (list) =>
  list.flatMap(([name, attempt]) => {
    try {
      attempt();
      return [name];
    } catch {
      return [];
    }
  });

const misdeeds = {
  async hangs() {
    process.on("SIGTERM", () => undefined);
    await wait();
  },
  async forks() {
    for (let i = 0; i < 400; i++) {
      const child = spawn("/bin/sh", ["-c", "sleep 300 & sleep 300", mark], { detached: true, stdio: "ignore" });
      child.on("error", () => undefined);
      if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await wait();
  },
  async escapes() {
    // A session of its own, no environment, no pipes, and a parent that goes away at once.
    const twice = `const { spawn } = require("child_process"); const c = spawn(process.execPath, ${JSON.stringify(sleeper)}, { detached: true, stdio: "ignore", env: {} }); c.unref(); setTimeout(() => process.exit(0), 1500)`;
    spawn(process.execPath, ["-e", twice, mark], { detached: true, stdio: "ignore" }).unref();
    spawn(process.execPath, sleeper, { detached: true, stdio: "inherit" }).unref();
    await wait();
  },
  async eats() {
    const kept = [];
    for (;;) {
      kept.push(Buffer.alloc(16 * 1024 * 1024, kept.length));
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  async prints() {
    const chunk = "x".repeat(1024 * 1024);
    for (let i = 0; i < 1_024; i++) {
      if (!process.stdout.write(chunk)) await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
  },
  async dies(tools) {
    await tools.problem(14, "The second one.");
    process.kill(process.pid, "SIGKILL");
  },
  async impersonates(tools) {
    const other = await connectTools(config, { AICR_RUN_ID: "rv_other-1.1" });
    const refused = await other.problem(14, "Into another run.");
    if (refused.isError !== true) await tools.problem(15, "ANOTHER RUN COULD BE WRITTEN");
    other.close();
  },
  async trespasses(tools) {
    const done = tries([
      ["source", () => writeFileSync(join(process.cwd(), "../source/planted.ts"), "x", { flag: "wx" })],
      ["change", () => writeFileSync(join(process.cwd(), "../change.json"), "{}", { flag: "a" })],
      ["runs", () => writeFileSync(join(process.cwd(), "../../planted"), "x", { flag: "wx" })],
      ["etc", () => writeFileSync("/etc/aicr-drill", "x", { flag: "wx" })],
      ["usr", () => writeFileSync("/usr/local/aicr-drill", "x", { flag: "wx" })],
      // The same again, so that a wall with a hole costs the machine nothing.
      ["kernel", () => writeFileSync("/proc/sys/kernel/core_pattern", readFileSync("/proc/sys/kernel/core_pattern"))],
      ["secrets", () => readFileSync("/etc/shadow")],
      ["home", () => readdirSync("/root")],
      ["network", () => readFileSync("/proc/net/route", "utf8").split("\n").length > 2 || fail()],
    ]);
    await tools.problem(14, `TRESPASSED: ${done.join(" ") || "nowhere"}`);
  },
  async spies(tools) {
    const own = readFileSync("/proc/self/environ", "latin1");
    const all = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => tryRead(`/proc/${pid}/environ`) + tryRead(`/proc/${pid}/cmdline`));
    const found = [own, ...all].join("\n").match(/CANARY-[a-z0-9-]+/g) ?? [];
    const ownFound = own.match(/CANARY-[a-z0-9-]+/g) ?? [];
    await tools.problem(14, `SPIED own:${ownFound.length} all:${found.length}`);
  },
  async calls(tools) {
    const answers = [];
    for (let i = 0; i < 10_000; i++) {
      answers.push(tools.problem(13 + (i % 3), `Call number ${i}.`));
      if (answers.length >= 64) await answers.shift();
    }
    await Promise.all(answers);
  },
};

function fail() {
  throw new Error("not so");
}

function tryRead(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

const tools = await connectTools(config);
const first = await tools.problem(13, "The first one.");
if (first.isError) process.stderr.write(`${first.content?.[0]?.text}\n`);
await misdeeds[misdeed](tools);
tools.close();
