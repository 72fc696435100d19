// A strict stand-in for the p4 program: serves a JSON depot in the real client's formats and refuses what no adapter may do.
import { readFileSync, writeFileSync } from "node:fs";
import { changes, describe, lastOf } from "./changelist-commands.ts";
import { type FakeDepot, readDepot } from "./depot.ts";
import { annotate, filelog, files, print, sizes } from "./file-commands.ts";
import { failure, isMessage, type Line, render, Violation } from "./output.ts";
import { checkEnvironment, connectionFault, createMemory, OUTAGE, ticketFault } from "./session.ts";

const COMMANDS: Readonly<Record<string, (depot: FakeDepot, args: readonly string[]) => readonly Line[]>> = {
  describe,
  changes,
  print,
  sizes,
  files,
  filelog,
  annotate,
  counter: (depot, [name = "", ...more]) => {
    if (more.length > 0) throw new Violation("counter may only be read");
    return [{ counter: name, value: lastOf(depot, name) }];
  },
};

function run(depotFile: string, memoryFile: string, args: readonly string[]): number {
  const depot = readDepot(readFileSync(depotFile, "utf8"));
  const memory = createMemory(memoryFile);
  const { env } = process;
  checkEnvironment(depot, env);
  const isTagged = args[0] === "-ztag" && args[1] === "-Mj";
  const [command = "", ...rest] = isTagged ? args.slice(2) : args;
  if (command.startsWith("-")) throw new Violation(`unknown global flag ${command}`);

  const { outage, outageAfter = 0, hangs } = depot.server ?? {};
  if (hangs) {
    setInterval(() => undefined, 60_000);
    return 0;
  }
  if (outage !== undefined && memory.commands() >= outageAfter) {
    if (outage !== "mute") process.stderr.write(OUTAGE);
    return outage === "refused" ? 1 : 0;
  }
  if (command === "trust") return trust(rest, env["P4TRUST"] ?? "");
  const fault = connectionFault(depot, env);
  if (fault !== null) return finish([fault], isTagged);
  if (command === "login") return login(depot, rest, env, () => memory.add("LOGIN"), memory.logins);
  memory.add(args.join("\t").replaceAll("\n", " "));
  if (command === "info") return finish([information(depot, env)], isTagged);
  const expired = ticketFault(depot, env, memory);
  if (expired !== null) return finish([expired], isTagged);
  if (!isTagged) {
    if (command !== "counter") throw new Violation(`${command} without -ztag -Mj`);
    process.stdout.write(`${lastOf(depot, rest[0] ?? "")}\n`);
    return 0;
  }
  const answer = COMMANDS[command];
  return finish(answer ? answer(depot, rest) : [failure("Unknown command.  Try 'p4 help' for info.", 1)], true);
}

function finish(lines: readonly Line[], isTagged: boolean): number {
  for (const line of lines) {
    if (isTagged) process.stdout.write(render(line));
    else if (isMessage(line)) process.stderr.write(`${line.text}\n`);
    if (isMessage(line) && line.severity >= 3) return 1;
  }
  return 0;
}

function information(depot: FakeDepot, env: NodeJS.ProcessEnv): Line {
  return {
    userName: env["P4USER"] ?? "",
    clientName: "*unknown*",
    serverAddress: "127.0.0.1:1666",
    serverVersion: "P4D/LINUX26X86_64/2024.2/0000000 (2024/11/01)",
    caseHandling: depot.server?.caseHandling ?? "sensitive",
    ...(depot.server?.unicode && { unicode: "enabled" }),
  };
}

/** The password comes through stdin, never as an argument or in the environment. */
function login(
  depot: FakeDepot,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  count: () => void,
  logins: () => number,
): number {
  if (args.length > 0) throw new Violation("login takes nothing");
  const given = readFileSync(0, "utf8").split("\n")[0];
  process.stdout.write("Enter password: \n");
  if (given !== depot.server?.password) {
    process.stderr.write("Password invalid.\n");
    return 1;
  }
  count();
  writeFileSync(env["P4TICKETS"] ?? "", `127.0.0.1:1666=${env["P4USER"]}:T${logins()}\n`, { mode: 0o600 });
  process.stdout.write(`User ${env["P4USER"]} logged in.\n`);
  return 0;
}

function trust(args: readonly string[], file: string): number {
  const [flag, fingerprint, ...more] = args;
  // -y would accept whatever key is shown.
  if (flag !== "-i" || fingerprint === undefined || more.length > 0) throw new Violation(`trust ${args.join(" ")}`);
  writeFileSync(file, `${fingerprint}\n`);
  process.stdout.write("Added trust for P4PORT.\n");
  return 0;
}

const [, , depotFile = "", memoryFile = "", ...args] = process.argv;
try {
  process.exitCode = run(depotFile, memoryFile, args);
} catch (error) {
  // In the log too, so that a test sees it whatever the adapter makes of it.
  createMemory(memoryFile).add(`VIOLATION ${String(error)}`);
  process.stderr.write(`fake p4: ${String(error)}\n`);
  process.exitCode = 99;
}
