// Counts the tables in a Markdown text as the platform does: a line of cells over a line of dashes, outside of code.

export function countMarkdownTables(content: string): number {
  let fence = "";
  let previous = "";
  let tables = 0;
  for (const line of content.split("\n")) {
    const [run = ""] = /^ {0,3}`{3,}/.exec(line) ?? [];
    const ticks = run.trim();
    if (fence !== "") {
      if (ticks.length >= fence.length && line.trim() === ticks) fence = "";
      previous = "";
      continue;
    }
    if (ticks !== "") {
      fence = ticks;
      previous = "";
      continue;
    }
    if (isRule(line) && previous.includes("|")) tables += 1;
    previous = line;
  }
  return tables;
}

function isRule(line: string): boolean {
  return line.includes("|") && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(line);
}
