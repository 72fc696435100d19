// Sections of digests that exercise every branch of their template; for checking and previewing it.
import type { DigestSection } from "../cards/compose-digest.ts";
import { type DigestNumbers, noneBySeverity } from "../core/digest.ts";
import type { StoredFinding } from "../core/finding.ts";

const quiet: DigestNumbers = {
  reviews: {},
  silent: [],
  fresh: noneBySeverity,
  resolved: noneBySeverity,
  dismissed: noneBySeverity,
  open: noneBySeverity,
};

const busy: DigestNumbers = {
  reviews: { reported: 4, clean: 2, skipped: 3, failed: 1 },
  silent: [
    { reason: "lgtm", n: 3 },
    { reason: "a_reason_without_a_text", n: 1 },
  ],
  fresh: { info: 1, low: 2, medium: 3, high: 1, critical: 1 },
  resolved: { ...noneBySeverity, low: 1 },
  dismissed: { ...noneBySeverity, info: 2 },
  open: { info: 1, low: 2, medium: 3, high: 1, critical: 1 },
};

const finding: StoredFinding = {
  id: "fd_sample",
  repository: "demo",
  fingerprint: "0",
  keys: ["0"],
  file: "src/session.ts",
  line: 12,
  category: "correctness",
  severity: "critical",
  title: "`user` may be **null**",
  anchorDigest: "0",
  dismissed: null,
  refs: [{ ref: "refs/heads/session-store", status: "open", lastRevision: "1a2b3c4d5e" }],
  firstSeenAt: 0,
  lastSeenAt: 0,
};

const { line: _line, ...lineless } = finding;

/** One digest of several repositories, which are named, and one of a single quiet one, which is not. */
export const sampleDigests: readonly (readonly DigestSection[])[] = [
  [
    {
      repository: "demo",
      numbers: busy,
      before: { ...busy, reviews: { clean: 1 } },
      top: [
        { finding, url: "https://chat.example.com/1" },
        { finding: lineless, url: null },
      ],
    },
    { repository: "game", numbers: quiet, before: quiet, top: [] },
  ],
  [{ repository: "demo", numbers: quiet, before: busy, top: [] }],
];
