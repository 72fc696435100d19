// The command within what a person typed on Slack: without the mention, the slash and Slack's own markup and escapes.

/** `<@U1>`, `<#C1|general>`, `<!here>`, `<https://x.example|label>`: Slack's markup of what it recognised in a text. */
const markup = /<([@#!]?)([^<>|\s][^<>|]{0,2999})(?:\|([^<>]{0,3000}))?>/gu;

/**
 * A message's text as it was typed: addresses bare, names by their labels, `&lt; &gt; &amp;` as the characters they stand for.
 * @param text of a message or mention, as Slack sends it.
 */
export function typedText(text: string): string {
  return text
    .replace(markup, (_whole, sign: string, target: string, label: string | undefined) => {
      if (sign === "@") return `@${label ?? target}`;
      if (sign === "#") return `#${label ?? target}`;
      if (sign === "!") return label ?? `@${target.replace(/^subteam\^/u, "")}`;
      // Slack makes a link of what looks like a host's name, of `main.py` too.
      if (label !== undefined && target.replace(/\/$/u, "") === `http://${label}`) return label;
      return target.startsWith("mailto:") || target.startsWith("tel:") ? (label ?? target) : target;
    })
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/**
 * What a person told the bot in a message: what follows its mention, or what stands before where nothing follows; then without a
 * leading slash (also the full-width one) and the command's own name. Line ends and control characters become spaces.
 * @param botUserId the bot's own id, `U…`; undefined where it is not known, then the first mention is taken for it.
 */
export function spokenCommand(text: string, commandName: string, botUserId?: string): string {
  return commandText(typedText(afterMention(text, botUserId)), commandName);
}

function afterMention(text: string, botUserId: string | undefined): string {
  const mention =
    botUserId === undefined ? /<@[UW][A-Z0-9]+(?:\|[^<>]*)?>/u : new RegExp(`<@${botUserId}(?:\\|[^<>]*)?>`, "u");
  const found = mention.exec(text);
  if (found === null) return text;
  const after = text.slice(found.index + found[0].length).replace(/^[\s:,，：]+/u, "");
  return after.trim() === "" ? text.slice(0, found.index) : after;
}

/** The same for what follows a slash command, which Slack sends as it was typed. */
export function commandText(typed: string, commandName: string): string {
  const line = typed.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  const bare = line.replace(/^[/／]\s*/u, "");
  const [word = ""] = bare.split(/\s/u, 1);
  const isNamed = word.toLowerCase() === commandName.toLowerCase() && bare !== line;
  return isNamed ? bare.slice(word.length).trim() : line;
}
