// The fake's connection: outages, charset, trust, tickets, and the rules that no honest adapter breaks.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { FakeDepot } from "./depot.ts";
import { failure, type Message, Violation } from "./output.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const ALLOWED = new Set(
  "P4PORT P4USER P4CLIENT P4CONFIG P4ENVIRO P4TICKETS P4TRUST P4CHARSET P4COMMANDCHARSET".split(" "),
);

/** Throws Violation for settings that come from the machine or belong to somebody else. */
export function checkEnvironment(depot: FakeDepot, env: Environment): void {
  for (const name of Object.keys(env)) {
    if (/^P4/.test(name) && !ALLOWED.has(name)) throw new Violation(`${name} is set`);
    if (/SECRET|TOKEN_OF|PASSWORD/.test(name)) throw new Violation(`${name} reaches p4`);
  }
  for (const name of ["P4PORT", "P4USER", "P4CLIENT", "P4CONFIG", "P4ENVIRO", "P4TICKETS", "P4TRUST", "P4CHARSET"]) {
    if (!env[name]) throw new Violation(`${name} is not pinned`);
  }
  for (const name of ["P4ENVIRO", "P4TICKETS", "P4TRUST"]) {
    if (!isAbsolute(env[name] ?? "")) throw new Violation(`${name} is no file of ours`);
  }
  if (depot.changes.some(({ client }) => client === env["P4CLIENT"]))
    throw new Violation("a submitter's client is used");
}

export const OUTAGE =
  "Perforce client error:\n\tConnect to server failed; check $P4PORT.\n\tTCP connect to 127.0.0.1:1 failed.\n\tconnect: 127.0.0.1:1: Connection refused\n";

/** The log is the fake's memory: one line a command, appended whole, so that processes at the same time do no harm. */
export function createMemory(path: string) {
  const read = (): readonly string[] => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);
  return {
    add: (line: string): void => appendFileSync(path, `${line}\n`),
    commands: (): number => read().length,
    logins: (): number => read().filter((line) => line === "LOGIN").length,
    /** Commands since the last login. */
    sinceLogin(): number {
      const lines = read();
      return lines.length - 1 - lines.lastIndexOf("LOGIN");
    },
  };
}

export type Memory = ReturnType<typeof createMemory>;

export function connectionFault(depot: FakeDepot, env: Environment): Message | null {
  const { fingerprint, unicode } = depot.server ?? {};
  if (fingerprint !== undefined) {
    const trusted = existsSync(env["P4TRUST"] ?? "") ? readFileSync(env["P4TRUST"] ?? "", "utf8").trim() : "";
    if (!env["P4PORT"]?.startsWith("ssl")) return failure("SSL receive failed; check $P4PORT.", 38);
    if (trusted === "") {
      return failure(
        `The authenticity of '127.0.0.1:1666' can't be established,\nthis may be your first attempt to connect to this P4PORT.\nThe fingerprint for the key sent to your client is\n${fingerprint}\nTo allow connection use the 'p4 trust' command.`,
        38,
      );
    }
    if (trusted !== fingerprint) {
      return failure(
        "******* WARNING P4PORT IDENTIFICATION HAS CHANGED! *******\nIt is possible that someone is intercepting your connection.",
        38,
      );
    }
  }
  const isUnicodeClient = env["P4CHARSET"] !== "none";
  if (unicode && !isUnicodeClient) return failure("Unicode server permits only unicode enabled clients.", 36);
  if (!unicode && isUnicodeClient) return failure("Unicode clients require a unicode enabled server.", 36);
  return null;
}

export function ticketFault(depot: FakeDepot, env: Environment, memory: Memory): Message | null {
  const { password, ticketCalls } = depot.server ?? {};
  if (password === undefined) return null;
  const file = env["P4TICKETS"] ?? "";
  const ticket = existsSync(file) ? /^[^=]+=([^:]+):(T\d+)$/m.exec(readFileSync(file, "utf8")) : null;
  if (ticket === null || ticket[1] !== env["P4USER"]) {
    return failure("Perforce password (P4PASSWD) invalid or unset.", 36);
  }
  const number = Number(ticket[2]?.slice(1));
  const life = ticketCalls?.[number - 1] ?? Number.POSITIVE_INFINITY;
  const isExpired = number < memory.logins() || memory.sinceLogin() > life;
  return isExpired ? failure("Your session has expired, please login again.", 4) : null;
}
