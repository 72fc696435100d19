// What people see of messages: who says it to whom, the text, and the buttons below it.

interface Component {
  readonly type: number;
  readonly content?: string;
  readonly label?: string;
  readonly url?: string;
  readonly components?: readonly Component[];
}

export interface SeenMessage {
  readonly content?: string;
  readonly flags?: number;
  readonly components?: readonly unknown[];
}

const EPHEMERAL = 1 << 6;

/** One after another, with a line between them. */
export function asSeen(messages: readonly SeenMessage[]): string {
  return messages
    .map(({ content = "", flags = 0, components = [] }) => {
      const to = (flags & EPHEMERAL) === 0 ? "" : " (only you can see this)";
      const lines = [content, ...(components as readonly Component[]).map(seen)].filter((line) => line !== "");
      return [`AICR Bot${to}`, ...lines.flatMap((line) => line.split("\n")).map((line) => `  ${line}`.trimEnd())].join(
        "\n",
      );
    })
    .join("\n\n");
}

function seen({ type, content = "", label = "", url, components = [] }: Component): string {
  if (type === 10) return content;
  if (type === 2) return url === undefined ? `[ ${label} ]` : `[ ${label} ↗ ]`;
  if (type === 14) return "―――";
  return components.map(seen).join(type === 1 ? " " : "\n\n");
}
