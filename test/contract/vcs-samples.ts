// The changes that the VCS contract makes: odd names, odd contents, every kind of change, and some at random.
import fc from "fast-check";
import type { Step } from "./vcs-truth.ts";

const LINES = Array.from({ length: 30 }, (_, line) => `line ${line}\n`).join("");

/** Odd names, odd contents, and every kind of change. */
export const HISTORY: readonly Step[] = [
  {
    write: {
      "src/a.c": LINES,
      "src/moved.c": LINES,
      "src/gone.c": "x\n",
      "at@2.c": "one\n",
      "a b/100%41 #é.c": "one\n",
      "empty.txt": "",
      "no-eol.txt": "1\n2",
      "crlf.txt": "a\r\nb\r\n",
      "latin.txt": Buffer.from("caf\xe9\n", "latin1"),
      "data.bin": Buffer.from([0, 1, 2, 255]),
    },
  },
  {
    write: {
      "src/a.c": `top\n${LINES.replace("line 10\n", "")}bottom\n`,
      "at@2.c": "two\n",
      "a b/100%41 #é.c": "one\ntwo\n",
      "empty.txt": "no longer\n",
      "no-eol.txt": "1\n2\n",
      "crlf.txt": "a\r\nc\r\n",
      "latin.txt": Buffer.from("th\xe9\n", "latin1"),
      "data.bin": Buffer.from([0, 1, 2, 3]),
      "--- x": "++ y\n-- z\n",
    },
    remove: ["src/gone.c"],
    move: [{ from: "src/moved.c", to: "lib/arrived.c", content: `${LINES}more\n` }],
  },
  { write: { "--- x": "@@ -1 +1 @@\n" }, remove: ["at@2.c", "a b/100%41 #é.c"] },
];

/** Names never clash with folders: no VCS takes a file and a folder of one name. */
export const randomSteps = fc.array(
  fc.array(
    fc.tuple(
      fc.constantFrom("a", "b.c", "d/e", "d/f g"),
      fc.option(
        fc
          .array(fc.constantFrom("x\n", "y\n", "\n", "z\r\n", "--- a\n", "+++ b\n", "\\ No newline\n", "end"), {
            maxLength: 9,
          })
          .map((lines) => lines.join("")),
      ),
    ),
    { minLength: 1, maxLength: 4 },
  ),
  { minLength: 4, maxLength: 4 },
);
