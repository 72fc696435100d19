// One rule for programs that a test needs and that npm does not bring: missing they skip with their reason, but fail where they are required.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { describe } from "vitest";

/** Programs by the name a test asks for; the first that is found is taken. */
const programs = {
  chromium: ["chromium", "chromium-browser", "google-chrome"],
  svn: ["svn"],
  svnadmin: ["svnadmin"],
  git: ["git"],
  bubblewrap: ["bwrap"],
  podman: ["podman"],
} as const;

export type PeerName = keyof typeof programs;

/** `.ci/run` sets it after it has installed every peer. */
export const areRequired = process.env["AICR_REQUIRE_PEERS"] === "1";

/** The program's path, or null where it is missing. Throws where peers are required. */
export function peer(name: PeerName): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = programs[name].flatMap((program) => folders.map((folder) => join(folder, program))).find(isExecutable);
  if (found === undefined && areRequired) {
    throw new Error(`${name} is not installed, and AICR_REQUIRE_PEERS=1 demands it.`);
  }
  return found ?? null;
}

/** `describe` for what needs a peer: without it one skipped suite says why. */
export function describeWithPeer(name: PeerName, title: string, suite: (path: string) => void): void {
  const path = peer(name);
  if (path === null) describe.skip(`${title} (skipped: ${name} is not installed)`, () => suite(""));
  else describe(title, () => suite(path));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
