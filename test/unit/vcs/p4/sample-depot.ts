// The depot that the Perforce adapter's tests read: odd names, every action, a shelf, a restricted and a renumbered change.
import type { FakeChange, FakeDepot, FakeFile } from "../../../fakes/p4/depot.ts";

export const ROOT = "//depot/game";

export function file(
  name: string,
  rev: number,
  action: string,
  content: string,
  more: Partial<FakeFile> = {},
): FakeFile {
  return { path: `${ROOT}/${name}`, rev: String(rev), action, type: "text", content, ...more };
}

export function change(
  number: number,
  desc: string,
  files: readonly FakeFile[],
  more: Partial<FakeChange> = {},
): FakeChange {
  return {
    change: String(number),
    user: "ann",
    client: "ann-ws",
    time: 1_700_000_000 + number * 60,
    desc: `${desc}\n`,
    status: "submitted",
    files,
    ...more,
  };
}

export const gone = (name: string, rev: number, action = "delete", type = "text"): FakeFile => ({
  path: `${ROOT}/${name}`,
  rev: String(rev),
  action,
  type,
});

const MANY = Array.from({ length: 12 }, (_, index) => file(`many/f${index}.txt`, 1, "add", `${index}\n`));

export const CHANGES: readonly FakeChange[] = [
  change(5, "start", [
    file("src/a b.c", 1, "add", "one\ntwo\nthree\n"),
    file("src/old.c", 1, "add", "x\n"),
    file("src/we%40ird%23%2A%25.c", 1, "add", "odd\n"),
    file("docs/日本.txt", 1, "add", "こんにちは\n"),
    file("src/del.c", 1, "add", "bye\n"),
    file("src/ghost.c", 1, "add", "was\n", { obliterated: true }),
    file("bin/tool", 1, "add", "", { type: "binary", b64: "AQAC//4K" }),
    file("link", 1, "add", "/etc/passwd\n", { type: "symlink" }),
    file("script.sh", 1, "add", "echo\n"),
    file("secret.c", 1, "add", "hidden\n", { protected: true }),
    file("u16.txt", 1, "add", "alpha\nβeta\n", { type: "utf16" }),
    file("latin.txt", 1, "add", "", { b64: Buffer.from("caf\xe9\n", "latin1").toString("base64") }),
  ]),
  change(6, "elsewhere", [{ path: "//depot/other/x.c", rev: "1", action: "add", type: "text", content: "secret\n" }]),
  change(
    12,
    "fix: two\n\n... depotFile9 //not/real\nlast line",
    [
      file("src/a b.c", 2, "edit", "one\n2\nthree\n++ four\n"),
      gone("src/old.c", 2, "move/delete"),
      file("src/new.c", 1, "move/add", "x\ny\n", { from: `${ROOT}/src/old.c` }),
      file("src/we%40ird%23%2A%25.c", 2, "edit", "odder\n"),
      file("docs/日本.txt", 2, "edit", "さようなら\n"),
      gone("src/del.c", 2),
      file("src/added file.c", 1, "add", "++ first\nsecond\n"),
      file("src/ghost.c", 2, "edit", "is\n"),
      file("bin/tool", 2, "edit", "", { type: "binary", b64: "AQAC//4L" }),
      file("script.sh", 2, "edit", "echo\n", { type: "text+x" }),
      file("u16.txt", 2, "edit", "alpha\ngamma\n", { type: "utf16" }),
      { path: "//depot/other/x.c", rev: "2", action: "edit", type: "text", content: "secret 2\n" },
    ],
    { user: "bob" },
  ),
  change(
    13,
    "wip",
    [
      file("src/a b.c", 2, "edit", "one\n2\nthree\n++ four\nshelved\n"),
      file("src/shelved.c", 1, "add", "n\n"),
      file("src/moved.c", 1, "move/add", "x\nz\n"),
      gone("src/new.c", 1, "move/delete"),
    ],
    { status: "pending", client: "bob-ws", user: "bob" },
  ),
  change(14, "not shelved", [], { status: "pending" }),
  change(20, "many", MANY, { oldChange: "17" }),
  change(21, "quiet", [file("src/a b.c", 3, "edit", "ONE\n2\nthree\n++ four\n")], { changeType: "restricted" }),
];

export function depot(server: FakeDepot["server"] = {}, changes: readonly FakeChange[] = CHANGES): FakeDepot {
  return { server, changes };
}
