// Checks what no single value of the agents and models shows: names, what each kind needs, and keys that would leak.

import { commandLines } from "../agents/adapters.ts";
import { placeholders, unknownPlaceholders } from "../agents/command.ts";
import { builtInAgent } from "./agents-schema.ts";
import { checkName } from "./check-name.ts";
import { isLoopback } from "./check-source.ts";
import type { ConfigPath } from "./mistakes.ts";
import { type Add, list, type Raw, record } from "./raw.ts";
import { isUnset, unsetText } from "./secret-name.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Every agent that the file may refer to: the built-in one and those that it names. */
export function agentNames(file: Raw): readonly string[] {
  return [...new Set([builtInAgent, ...namesOf(list(file["agents"]).map(record))])];
}

/** Looks at `agents` and `models` as they are written. */
export function checkAgents(file: Raw, env: Env, add: Add): void {
  const models = list(file["models"]).map(record);
  const agents = list(file["agents"]).map(record);
  checkTwins(models, "models", add);
  checkTwins(agents, "agents", add);
  for (const [index, model] of models.entries()) checkModel(model, ["models", index], env, add);
  const known = { models, names: agentNames(file) };
  for (const [index, agent] of agents.entries()) checkAgent(agent, index, known, add);
}

function checkModel(model: Raw, path: ConfigPath, env: Env, add: Add): void {
  const where = `models[${String(path[1])}]`;
  const {
    kind,
    base_url: url,
    api_key_env: variable,
  } = model as { kind?: unknown; base_url?: unknown; api_key_env?: unknown };
  if (kind === "openai-compatible" && url === undefined) {
    add(path, `${where} needs a base_url, such as http://127.0.0.1:11434/v1 for Ollama.`);
  }
  if ((kind === "anthropic" || kind === "google") && variable === undefined && url === undefined) {
    add(path, `${where} needs an api_key_env: the variable that holds the key of ${kind}.`);
  }
  if (isUnset(variable, env)) add([...path, "api_key_env"], unsetText(variable));
  if (typeof url === "string" && /^https?:\/\//.test(url))
    checkAddress(url, variable !== undefined, [...path, "base_url"], where, add);
}

function checkAddress(url: string, hasKey: boolean, path: ConfigPath, where: string, add: Add): void {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) add(path, `${where}.base_url is not an address.`);
  else if (parsed.username !== "" || parsed.password !== "") {
    add(path, `${where}.base_url holds a user or a password. Keys stand in the environment: api_key_env.`);
  } else if (parsed.search !== "" || parsed.hash !== "") {
    add(path, `${where}.base_url must have no ? and no #.`);
  } else if (hasKey && parsed.protocol === "http:" && !isLoopback(parsed.hostname.replace(/^\[|\]$/g, ""))) {
    add(path, `${where}.base_url would send the key unencrypted to ${parsed.hostname}. Use https://.`);
  }
}

interface KnownNames {
  readonly models: readonly Raw[];
  readonly names: readonly string[];
}

function checkAgent(agent: Raw, index: number, known: KnownNames, add: Add): void {
  const path = ["agents", index];
  const where = `agents[${index}]`;
  const { name, kind, fallback } = agent as { name?: unknown; kind?: unknown; fallback?: unknown };
  if (name === builtInAgent && kind !== builtInAgent) {
    add([...path, "name"], `The agent ${builtInAgent} is the built-in one; give this one another name.`);
  }
  const models = list(agent["models"]);
  for (const [place, one] of models.entries()) {
    checkName(one, namesOf(known.models), "model", [...path, "models", place], add);
  }
  if (kind === "model" && models.length === 0) add(path, `${where} needs models: the names of those that it may ask.`);
  checkCommandLine(agent, path, where, known.models, add);
  if (kind === "checks" && models.length > 0) {
    add([...path, "models"], `${where} asks no model; leave models out.`);
  }
  if (kind === "command" && agent["program"] === undefined)
    add(path, `${where} needs a program: what is to be started.`);
  for (const [place, argument] of kind === "command" ? list(agent["arguments"]).entries() : []) {
    const [unknown] = unknownPlaceholders(String(argument));
    const at = [...path, "arguments", place];
    if (unknown !== undefined) add(at, `{${unknown}} stands for nothing. ${placeholderList}`);
  }
  if (kind !== undefined && kind !== "model" && models.length > 1) {
    add([...path, "models", 1], `${where} can ask one model; only kind: model has others to fall back to.`);
  }
  for (const key of foreignKeys(kind)) {
    if (agent[key] !== undefined) add([...path, key], `${where}.${key} says nothing for kind: ${String(kind)}.`);
  }
  checkMoney(agent, path, where, known.models, add);
  checkName(fallback, known.names, "agent", [...path, "fallback"], add);
  if (fallback !== undefined && fallback === name) add([...path, "fallback"], `${where} cannot be its own fallback.`);
}

/** Each known command line asks one model, whose endpoint speaks what the program speaks. */
function checkCommandLine(agent: Raw, path: ConfigPath, where: string, models: readonly Raw[], add: Add): void {
  const line = commandLines.find(({ kind }) => kind === agent["kind"]);
  if (line === undefined) return;
  const { endpoints } = line.capabilities;
  const [first] = list(agent["models"]);
  if (first === undefined) {
    add(path, `${where} needs a model of kind ${endpoints.join(" or ")}: its name under models.`);
    return;
  }
  const kind = models.find(({ name }) => name === first)?.["kind"];
  if (typeof kind === "string" && !endpoints.some((one) => one === kind)) {
    add(
      [...path, "models", 0],
      `${where} speaks ${endpoints.join(" or ")}; the model ${String(first)} is of kind ${kind}.`,
    );
  }
}

/** A bound in money is none where the model has no price. */
function checkMoney(agent: Raw, path: ConfigPath, where: string, models: readonly Raw[], add: Add): void {
  for (const group of ["limits", "daily"]) {
    if (record(agent[group])["money"] === undefined) continue;
    const free = list(agent["models"]).find((one) =>
      models.some((model) => model["name"] === one && model["prices"] === undefined),
    );
    if (free !== undefined) {
      add(
        [...path, group, "money"],
        `${where}.${group}.money is no bound while the model ${String(free)} has no prices.`,
      );
    }
  }
}

const placeholderList = `There are: ${Object.keys(placeholders).join(", ")}.`;

/** Settings that a kind of agent cannot make use of. */
function foreignKeys(kind: unknown): readonly string[] {
  const forPrograms = ["program", "arguments", "reads", "prompt_by", "env"];
  if (kind === "model") return forPrograms;
  if (kind === "checks") return [...forPrograms, "with_checks", "disclose_model", "daily", "fallback"];
  return kind === "command" ? [] : ["prompt_by"];
}

function checkTwins(entries: readonly Raw[], group: string, add: Add): void {
  const seen = new Map<string, number>();
  for (const [index, { name }] of entries.entries()) {
    if (typeof name !== "string") continue;
    const key = name.toLowerCase();
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else add([group, index, "name"], `The name ${name} is already that of ${group}[${first}]; give each its own.`);
  }
}

function namesOf(entries: readonly Raw[]): readonly string[] {
  return entries.map(({ name }) => name).filter((name) => typeof name === "string");
}
