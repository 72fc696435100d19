// The cards that answer commands about findings, and about who a person is in the VCS.
import type { Card } from "../core/card.ts";
import type { FindingsState } from "../core/command.ts";
import type { StoredFinding } from "../core/finding.ts";
import type { Texts } from "../ports/texts.ts";
import { type CommandNames, typed } from "./command-names.ts";
import { type ListLine, type NoteWriter, noteWriter, withList } from "./notes-list.ts";

export interface FindingsList {
  readonly repository: string;
  readonly state: FindingsState;
  /** All there are, those not listed included. */
  readonly total: number;
  readonly findings: readonly StoredFinding[];
  /** By fingerprint: where the conversation was shown it. */
  readonly links: ReadonlyMap<string, string>;
}

export interface FindingCards {
  list(list: FindingsList, locale: string): Card;
  dismissed(finding: StoredFinding, dismissal: { readonly by: string; readonly reason: string }, locale: string): Card;
  alreadyDismissed(finding: StoredFinding, locale: string): Card;
  reopened(finding: StoredFinding, by: string, locale: string): Card;
  notDismissed(finding: StoredFinding, locale: string): Card;
  linked(user: string, outcome: "linked" | "already" | "taken", locale: string): Card;
  refused(object: string, locale: string): Card;
}

export function createFindingCards({
  texts,
  names,
}: {
  readonly texts: Texts;
  readonly names: CommandNames;
}): FindingCards {
  const writer = (locale: string): NoteWriter => noteWriter(texts, locale);

  return {
    list({ repository, state, total, findings, links }, locale) {
      const write = writer(locale);
      const { note, say } = write;
      if (total === 0) return note(`findings.${state}.none`, { repository });
      const lines = findings.map((finding) => findingLine(finding, links.get(finding.fingerprint), write));
      const more = total - findings.length;
      if (more > 0) lines.push({ text: say("findings.more", { n: more }) });
      return withList(note(`findings.${state}`, { n: total, repository }), lines);
    },
    dismissed: (finding, { by, reason }, locale) =>
      writer(locale).note("finding.dismissed", {
        ...about(finding),
        by,
        reason,
        command: typed(names, `reopen ${finding.id}`),
      }),
    alreadyDismissed: (finding, locale) =>
      writer(locale).note("finding.dismissed.already", {
        ...about(finding),
        by: finding.dismissed?.by ?? "",
        reason: finding.dismissed?.reason ?? "",
      }),
    reopened: (finding, by, locale) => writer(locale).note("finding.reopened", { ...about(finding), by }),
    notDismissed: (finding, locale) => writer(locale).note("finding.not_dismissed", about(finding)),
    linked: (user, outcome, locale) => writer(locale).note(`link.${outcome}`, { user }),
    refused: (object, locale) => writer(locale).note("command.refused", { object }),
  };
}

function findingLine(finding: StoredFinding, url: string | undefined, { say }: NoteWriter): ListLine {
  const { id, severity, title, dismissed } = finding;
  const text = say("findings.item", { severity: say(`severity.${severity}`), place: placeOf(finding), title });
  const below =
    dismissed === null ? [] : [say("findings.item.dismissed", { by: dismissed.by, reason: dismissed.reason })];
  return { text, code: id, ...(url === undefined ? {} : { url }), below };
}

function about(finding: StoredFinding): { readonly id: string; readonly place: string; readonly title: string } {
  return { id: finding.id, place: placeOf(finding), title: finding.title };
}

function placeOf({ file, line }: StoredFinding): string {
  return line === undefined ? file : `${file}:${line}`;
}
