// The command within what a person wrote: without slash and name, however a Chinese keyboard or a client spelled them.

export interface SpokenCommand {
  /** What follows the slash and the name. */
  readonly text: string;
  /** The text begins with the slash and the command's name: it speaks to the bot, whoever else is there. */
  readonly isNamed: boolean;
}

/** Invisible characters that clients put around mentions and pasted text. */
const invisible = /[\u200b-\u200f\u2060\ufeff]/g;

/**
 * Control characters and line ends become spaces. Capitals and full-width letters do not matter, and after a mention the
 * name may stand without its slash.
 */
export function spokenCommand(written: string, commandName: string): SpokenCommand {
  const line = written
    .replace(invisible, "")
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
  const slash = /^[/／]\s*/u.exec(line)?.[0] ?? "";
  const bare = line.slice(slash.length);
  const [word = ""] = bare.split(/\s/u, 1);
  const isName = word.normalize("NFKC").toLowerCase() === commandName.toLowerCase();
  return { text: (isName ? bare.slice(word.length) : bare).trim(), isNamed: isName && slash !== "" };
}
