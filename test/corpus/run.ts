// `npm run corpus`: reviews clean changes made from consecutive versions of public packages and prints every card.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInspectChange, type Verdict } from "../../src/agents/checks/inspect-change.ts";
import { createInspectors } from "../../src/agents/checks/inspectors.ts";
import { text } from "../../src/agents/checks/texts.ts";
import { createCheckEngines } from "../../src/checks/engines.ts";
import { type CleanChange, changedFiles, groupChanges } from "./clean-changes.ts";
import { fetchPackage } from "./fetch-package.ts";
import { judgedTrue } from "./judged.ts";
import { type PackagePair, packagePairs } from "./packages.ts";

/** Released code was reviewed by its authors: at most so many cards may be wrong. */
const maxFalseCards = 1;
const minChanges = 200;
/** As many files as a large review has. */
const maxBatchFiles = 80;

const cache = join(tmpdir(), "aicr-bot-corpus");
const engines = createCheckEngines({ trust: "foreign" });
const only = process.argv.slice(2);
const changes = new Map<string, number>();
const reviewedFiles = new Map<string, number>();
const cards: { readonly change: CleanChange; readonly lines: readonly string[]; readonly judged: boolean }[] = [];
const failures: string[] = [];

async function reviewPair(pair: PackagePair): Promise<void> {
  const before = await fetchPackage(pair.source, pair.name, pair.before, cache);
  const after = await fetchPackage(pair.source, pair.name, pair.after, cache);
  const inspectChange = createInspectChange({
    inspectors: createInspectors(engines),
    sides: { source: after, base: before },
  });
  for (const groups of batches(groupChanges(pair.name, await changedFiles(before, after)))) {
    const files = groups.flatMap((group) => group.files);
    const verdict = await inspectChange({ files, leftOut: new Map() }, new AbortController().signal);
    for (const [engine, status] of verdict.engines) {
      if (status.status === "error") failures.push(`${pair.name}: ${engine}: ${status.message}`);
    }
    countCards(pair.name, groups, verdict);
  }
}

/** Changes that are inspected in one go, since starting the engines for each would take most of the time. */
function batches(groups: readonly CleanChange[]): readonly (readonly CleanChange[])[] {
  const all: CleanChange[][] = [];
  let files = maxBatchFiles;
  for (const group of groups) {
    if (files + group.files.length > maxBatchFiles) {
      all.push([]);
      files = 0;
    }
    all.at(-1)?.push(group);
    files += group.files.length;
  }
  return all;
}

function countCards(name: string, groups: readonly CleanChange[], verdict: Verdict): void {
  for (const change of groups) {
    changes.set(change.language, (changes.get(change.language) ?? 0) + 1);
    reviewedFiles.set(change.language, (reviewedFiles.get(change.language) ?? 0) + change.files.length);
    const byPath = new Map(change.files.map((file) => [file.path, file]));
    const findings = verdict.findings.filter((finding) => byPath.has(finding.file));
    if (findings.length === 0) continue;
    const keys = findings.map(
      (finding) =>
        `${name} ${finding.file} ${finding.rule} ${(byPath.get(finding.file)?.lines[finding.line - 1] ?? "").trim().slice(0, 120)}`,
    );
    cards.push({
      change,
      judged: keys.every((key) => judgedTrue.has(key)),
      lines: findings.map((finding, index) => {
        const said =
          "text" in finding.message ? finding.message.text : text(finding.message.key, "en", finding.message.params);
        return `  ${judgedTrue.has(keys[index] ?? "") ? "true " : "?    "} ${finding.file}:${finding.line} ${finding.severity} ${finding.rule}: ${said}\n        ${keys[index]}`;
      }),
    });
  }
}

for (const pair of packagePairs.filter((each) => only.length === 0 || only.includes(each.name))) {
  const start = performance.now();
  const known = cards.length;
  await reviewPair(pair);
  for (const { change, lines } of cards.slice(known)) {
    console.log(`${change.package} ${change.directory} (${change.language})\n${lines.join("\n")}`);
  }
  process.stderr.write(`${pair.name} ${pair.before} → ${pair.after}: ${Math.round(performance.now() - start)} ms\n`);
}

const total = [...changes.values()].reduce((sum, count) => sum + count, 0);
for (const [language, count] of [...changes].toSorted())
  console.log(`${language}: ${count} changes, ${reviewedFiles.get(language)} files`);
const unjudged = cards.filter((card) => !card.judged).length;
console.log(
  `${total} clean changes, ${cards.length} cards, of which ${cards.length - unjudged} right and ${unjudged} false or not looked at`,
);
for (const failure of failures) console.log(`failed: ${failure}`);
if (only.length === 0 && (unjudged > maxFalseCards || total < minChanges || failures.length > 0)) process.exitCode = 1;
