// How people begin a command on a platform, for the commands that cards tell them to type.
import { commandWords } from "../core/command.ts";

const words: ReadonlySet<string> = new Set(commandWords);

export interface CommandNames {
  /** Before a repository: `/review`. */
  readonly review: string;
  /** Before every other word: `/review` too, but on Discord, where a command with sub-commands takes no options itself. */
  readonly verbs: string;
}

/** A whole command as it is typed on the platform. */
export function typed(names: CommandNames, command: string): string {
  const [first = ""] = command.split(" ", 1);
  const isVerb = first !== "review" && words.has(first);
  return `${isVerb ? names.verbs : names.review} ${command}`;
}
