// Makes the demo repository: the same commits with the same ids on every machine, so that a first review needs no setup.
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../ports/clock.ts";
import type { Processes } from "../../process/spawn.ts";
import { ensureBare } from "./bare.ts";
import { type DemoCommit, story } from "./demo-content.ts";
import { createBudget, createGit } from "./run-git.ts";

const DEADLINE_MS = 30_000;

/**
 * Makes the bare repository unless the directory exists; whole or not at all, also when two processes start at once.
 * Throws AppError `config` when git is missing.
 * @param directory absolute; its parent is made when missing.
 */
export async function createDemoRepository(
  directory: string,
  parts: { readonly processes: Processes; readonly clock: Clock; readonly path?: string },
): Promise<void> {
  if (await exists(directory)) return;
  await mkdir(dirname(directory), { recursive: true });
  const scratch = await mkdtemp(join(dirname(directory), "new-demo-"));
  try {
    const made = join(scratch, "demo");
    await ensureBare(made, 40, "main");
    const git = createGit(parts.processes, scratch, { repository: "demo" });
    await git.output(["fast-import", "--quiet"], {
      env: {
        PATH: parts.path ?? process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
        HOME: scratch,
        GIT_DIR: made,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        LC_ALL: "C.UTF-8",
      },
      budget: createBudget(parts.clock, undefined, DEADLINE_MS),
      stdin: importStream(story),
    });
    await rename(made, directory);
  } catch (error) {
    // Whoever else made it meanwhile made the same.
    if (!(await exists(directory))) throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The story in the language of `git fast-import`. */
function importStream(commits: readonly DemoCommit[]): Buffer {
  const chunks: Buffer[] = [];
  const put = (text: string): void => {
    chunks.push(Buffer.from(text));
  };
  const putData = (content: string | Uint8Array): void => {
    const bytes = Buffer.from(content);
    put(`data ${bytes.length}\n`);
    chunks.push(bytes);
    put("\n");
  };

  for (const [index, commit] of commits.entries()) {
    const person = `${commit.author.name} <${commit.author.email}> ${Date.parse(commit.at) / 1000} +0000`;
    put(`commit ${commit.ref}\nmark :${index + 1}\nauthor ${person}\ncommitter ${person}\n`);
    putData(`${commit.message}\n`);
    if (commit.from !== undefined) put(`from :${commit.from + 1}\n`);
    for (const file of commit.files) {
      if (file.content === null) {
        put(`D ${file.path}\n`);
        continue;
      }
      put(`M 100644 inline ${file.path}\n`);
      putData(file.content);
    }
    if (commit.tag === undefined) continue;
    put(`tag ${commit.tag}\nfrom :${index + 1}\ntagger ${person}\n`);
    putData(`${commit.tag}\n`);
  }
  return Buffer.concat(chunks);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
