// A depot of the fake p4 that grows change by change, as people submit.
import { encodePath } from "../../../src/vcs/p4/depot-paths.ts";
import type { FakeChange, FakeFile } from "./depot.ts";
import { type FakeP4, installFakeP4 } from "./install.ts";

export interface Submission {
  readonly write?: Readonly<Record<string, string | Buffer>>;
  readonly remove?: readonly string[];
  readonly move?: readonly { readonly from: string; readonly to: string; readonly content: string }[];
}

export interface P4Repository extends FakeP4 {
  /** Submits one changelist; gives its number. */
  submit(submission: Submission): number;
}

/** @param root `//depot/path`, under which the paths lie. */
export function createP4Repository(root: string): P4Repository {
  const changes: FakeChange[] = [];
  const fake = installFakeP4({ changes });
  const revisions = new Map<string, number>();
  const live = new Set<string>();

  function revised(path: string, action: string, content?: string | Buffer, from?: string): FakeFile {
    const revision = (revisions.get(path) ?? 0) + 1;
    revisions.set(path, revision);
    if (content === undefined) live.delete(path);
    else live.add(path);
    const bytes = content === undefined ? null : Buffer.from(content);
    return {
      path: `${root}/${encodePath(path)}`,
      rev: String(revision),
      action,
      type: bytes?.includes(0) ? "binary" : "text",
      ...(bytes !== null && { b64: bytes.toString("base64") }),
      ...(from !== undefined && { from: `${root}/${encodePath(from)}` }),
    };
  }

  return {
    ...fake,
    submit({ write = {}, remove = [], move = [] }) {
      // Numbers have gaps: others submit elsewhere.
      const number = changes.length * 3 + 1;
      const files = [
        ...remove.map((path) => revised(path, "delete")),
        ...move.flatMap(({ from, to, content }) => [
          revised(to, "move/add", content, from),
          revised(from, "move/delete"),
        ]),
        ...Object.entries(write).map(([path, content]) => revised(path, live.has(path) ? "edit" : "add", content)),
      ];
      changes.push({
        change: String(number),
        user: "ann",
        client: "ann-ws",
        time: 1_700_000_000 + number * 60,
        desc: `change ${number}\n`,
        status: "submitted",
        files,
      });
      fake.serve({ changes });
      return number;
    },
  };
}
