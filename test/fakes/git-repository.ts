// Builds real git repositories in temporary directories: many commits in one fast-import, fixed people and dates.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file's content; null deletes it. */
export type Content =
  | string
  | Buffer
  | null
  | { readonly mode: "100755"; readonly content: string }
  | { readonly mode: "120000"; readonly target: string }
  | { readonly mode: "160000"; readonly commit: string };

export interface CommitSpec {
  /** Full ref; default `refs/heads/main`. */
  readonly ref?: string;
  /** Committish of the first parent where the ref does not exist yet: a full ref or an id. */
  readonly from?: string;
  /** Further parents. */
  readonly merge?: readonly string[];
  readonly message?: string;
  readonly author?: string;
  /** Path (text, or bytes as latin1 in a Buffer's place by `rawFiles`) → content. */
  readonly files?: Readonly<Record<string, Content>>;
  /** The same with paths as latin1 bytes. */
  readonly rawFiles?: Readonly<Record<string, Content>>;
}

export interface GitRepository {
  /** The work tree, or the bare repository. */
  readonly path: string;
  /** Adds commits in one process; gives their ids in order. */
  commit(...specs: readonly CommitSpec[]): readonly string[];
  git(...args: readonly string[]): string;
  remove(): void;
}

const ENV = {
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  LC_ALL: "C.UTF-8",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
  GIT_AUTHOR_DATE: "1700000000 +0000",
  GIT_COMMITTER_DATE: "1700000000 +0000",
};
const FIRST_COMMIT_AT = 1_700_000_000;

/** A fresh temporary directory and its removal. */
export function temporaryDirectory(prefix = "aicr-test-"): { readonly path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function createRepository(
  options: { readonly bare?: boolean; readonly sha256?: boolean; readonly path?: string } = {},
): GitRepository {
  const made = options.path === undefined ? temporaryDirectory() : null;
  const path = options.path ?? made?.path ?? "";
  mkdirSync(path, { recursive: true });
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: path, env: ENV, encoding: "utf8", maxBuffer: 1 << 28 }).trimEnd();
  git(
    "init",
    "-q",
    "-b",
    "main",
    ...(options.bare ? ["--bare"] : []),
    ...(options.sha256 ? ["--object-format=sha256"] : []),
  );
  let count = 0;

  return {
    path,
    git,
    commit(...specs) {
      const chunks: Buffer[] = [];
      const put = (text: string): void => {
        chunks.push(Buffer.from(text));
      };
      const started = new Set<string>();
      specs.forEach((spec, position) => {
        const ref = spec.ref ?? "refs/heads/main";
        const [name, when] = [spec.author ?? "Ada", `${FIRST_COMMIT_AT + 60 * count++} +0000`];
        const person = `${name} <${name.toLowerCase()}@example.com> ${when}`;
        put(`commit ${ref}\nmark :${position + 1}\nauthor ${person}\ncommitter ${person}\n`);
        data(put, chunks, Buffer.from(spec.message ?? `change ${count}`));
        const from = spec.from ?? (started.has(ref) ? undefined : existing(ref));
        if (from !== undefined) put(`from ${from}\n`);
        for (const parent of spec.merge ?? []) put(`merge ${parent}\n`);
        started.add(ref);
        for (const [file, content] of Object.entries(spec.files ?? {})) {
          change(put, chunks, Buffer.from(file, "utf8"), content);
        }
        for (const [file, content] of Object.entries(spec.rawFiles ?? {})) {
          change(put, chunks, Buffer.from(file, "latin1"), content);
        }
      });
      // The marks are printed in the order of the commits.
      for (const position of specs.keys()) put(`get-mark :${position + 1}\n`);
      const output = execFileSync("git", ["fast-import", "--quiet", "--force"], {
        cwd: path,
        env: ENV,
        input: Buffer.concat(chunks),
        maxBuffer: 1 << 26,
      });
      return output.toString().trim().split("\n");
    },
    remove: () => made?.remove(),
  };

  function existing(ref: string): string | undefined {
    return git("for-each-ref", "--format=%(objectname)", ref) === "" ? undefined : `${ref}^0`;
  }
}

function data(put: (text: string) => void, chunks: Buffer[], bytes: Buffer): void {
  put(`data ${bytes.length}\n`);
  chunks.push(bytes);
  put("\n");
}

function change(put: (text: string) => void, chunks: Buffer[], path: Buffer, content: Content): void {
  const name = quoted(path);
  if (content === null) {
    put(`D ${name}\n`);
  } else if (typeof content === "string" || Buffer.isBuffer(content)) {
    put(`M 100644 inline ${name}\n`);
    data(put, chunks, Buffer.from(content));
  } else if (content.mode === "160000") {
    put(`M 160000 ${content.commit} ${name}\n`);
  } else {
    put(`M ${content.mode} inline ${name}\n`);
    data(put, chunks, Buffer.from(content.mode === "120000" ? content.target : content.content));
  }
}

function quoted(path: Buffer): string {
  const isPlain = (byte: number): boolean => byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
  const bytes = [...path].map((byte) =>
    isPlain(byte) ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`,
  );
  return `"${bytes.join("")}"`;
}
