// Builds the addresses of commits and lines from a repository's web link templates.
import type { Revision } from "../core/change.ts";

/** Where a repository can be looked at; null where it has no such page. */
export interface LinkBuilder {
  commit(revision: Pick<Revision, "canonical">): string | null;
  /** @param line 1-based; without it the whole file. */
  file(path: string, revision: Pick<Revision, "canonical">, line?: number, endLine?: number): string | null;
}

/** Templates with `{rev}`, `{path}`, `{line}` and `{endLine}`; http or https. */
export interface LinkTemplates {
  /** `https://git.example.com/team/app/commit/{rev}` */
  readonly commit?: string;
  /** `https://git.example.com/team/app/src/{rev}/{path}` */
  readonly file?: string;
  /** What follows the file's address for one line: `#L{line}`. Default: nothing. */
  readonly line?: string;
  /** The same for several lines: `#L{line}-L{endLine}`. Default: that of one line. */
  readonly lines?: string;
}

export function createLinkBuilder(templates: LinkTemplates): LinkBuilder {
  return {
    commit: (revision) => filled(templates.commit, { rev: revision.canonical }),
    file: (path, revision, line, endLine) => {
      const address = filled(templates.file, { rev: revision.canonical, path });
      if (address === null || line === undefined) return address;
      const several = endLine !== undefined && endLine > line;
      const anchor = (several ? templates.lines : undefined) ?? templates.line ?? "";
      return address + (filled(anchor, { line: String(line), endLine: String(endLine ?? line) }) ?? "");
    },
  };
}

/** For repositories without a web page. */
export const noLinks: LinkBuilder = { commit: () => null, file: () => null };

function filled(template: string | undefined, values: Readonly<Record<string, string>>): string | null {
  if (template === undefined) return null;
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : value.split("/").map(encodeSegment).join("/");
  });
}

/** A segment of a path; `.` and `..` would be resolved by the browser, so they are encoded too. */
function encodeSegment(segment: string): string {
  const encoded = encodeURIComponent(segment.replace(/\p{Surrogate}/gu, "\ufffd")).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return /^\.+$/.test(encoded) ? encoded.replaceAll(".", "%2E") : encoded;
}
