// The content of a `markdown` element: its tables, links, pictures and mentions.
import { cardLimits, isWebUrl, type LintState } from "./lint-rules.ts";
import { countMarkdownTables } from "./markdown-tables.ts";

export function lintMarkdown(content: string, path: string, state: LintState): void {
  const tables = countMarkdownTables(content);
  state.markdownTables += tables;
  if (tables > cardLimits.markdownTablesOfOneElement) {
    state.report(
      "tables",
      path,
      `has ${tables} tables, ${cardLimits.markdownTablesOfOneElement} are allowed in one element`,
    );
  }
  const prose = withoutCode(content);
  for (const [, target = ""] of prose.matchAll(/!\[[^\]]*\]\(([^)]*)\)/g)) {
    if (!/^img_[0-9A-Za-z_-]+$/.test(target)) state.report("image", path, "a picture must be an uploaded one (img_…)");
  }
  for (const [, target = ""] of prose.matchAll(/(?<!!)\[[^\]]*\]\(([^)]*)\)/g)) {
    if (!isWebUrl(target)) state.report("url", path, "a link must lead to http or https");
  }
  // The bot never speaks to everybody, whatever a text asks for.
  if (/<\s*at\b[^>]*\ball\b/i.test(content)) state.report("mention", path, "mentions everybody");
}

/** Code shows what it holds. */
function withoutCode(content: string): string {
  return content.replace(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, "");
}
