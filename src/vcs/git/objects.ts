// Reads git objects over one `cat-file --batch` process: by id only, so that no name of anybody's is interpreted.
import type { Readable } from "node:stream";
import type { ProcessResult } from "../../process/spawn.ts";
import { damaged, type Subject, tooLarge } from "./faults.ts";
import { endFault, type Git, type GitRun } from "./run-git.ts";

type ObjectType = "commit" | "tree" | "blob" | "tag";

export interface GitObject {
  readonly id: string;
  readonly type: ObjectType;
  readonly bytes: Buffer;
}

export interface Objects {
  /**
   * @param name a full id, an abbreviation, or either followed by `~n`, `^n` and `^{type}`; hex digits first, so never an option.
   * Throws `too_large` for an object over `maxBytes`; the reader is then of no more use.
   */
  read(name: string, maxBytes?: number): Promise<GitObject | "missing" | "ambiguous">;
  close(): Promise<void>;
}

const NAME = /^[0-9a-f]{4,64}[~^0-9a-z{}]*$/;
/** Trees and commits are read whole; none that people make comes near. */
const MAX_OBJECT_BYTES = 64 << 20;

function openObjects(git: Git, run: GitRun, subject: Subject): Objects {
  const process = git.open(["cat-file", "--batch"], run);
  const input = byteReader(process.stdout, process.ended, subject);
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function answer(name: string, maxBytes: number): Promise<GitObject | "missing" | "ambiguous"> {
    const header = await input.line();
    if (header === `${name} missing`) return "missing";
    if (header === `${name} ambiguous`) return "ambiguous";
    const parts = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)$/.exec(header);
    if (parts === null) throw damaged(subject, `cat-file: ${header.slice(0, 200)}`);
    const size = Number(parts[3]);
    if (size > maxBytes) {
      await process.kill();
      throw tooLarge(subject);
    }
    const bytes = await input.exactly(size);
    await input.exactly(1);
    return { id: parts[1] as string, type: parts[2] as ObjectType, bytes };
  }

  return {
    read(name, maxBytes = MAX_OBJECT_BYTES) {
      if (!NAME.test(name)) return Promise.reject(damaged(subject, "not an object name"));
      // Questions go out at once and answers come back in their order, so that many reads cost one wait.
      process.stdin.write(`${name}\n`);
      waiting++;
      const mine = turn.then(() => answer(name, maxBytes)).finally(() => waiting--);
      turn = mine.catch(() => undefined);
      return mine;
    },
    async close() {
      // With nothing left to say it ends by itself at the end of its input, sooner than a kill could make sure of it.
      if (waiting > 0) await process.kill();
      process.stdin.end();
      await input.stop();
      await process.ended;
    },
  };
}

/** Opens a reader for the time of `use`. */
export async function withObjects<T>(
  git: Git,
  run: GitRun,
  subject: Subject,
  use: (objects: Objects) => Promise<T>,
): Promise<T> {
  const objects = openObjects(git, run, subject);
  try {
    return await use(objects);
  } finally {
    await objects.close();
  }
}

interface ByteReader {
  line(): Promise<string>;
  exactly(size: number): Promise<Buffer>;
  stop(): Promise<void>;
}

function byteReader(stream: Readable, ended: Promise<ProcessResult>, subject: Subject): ByteReader {
  const iterator: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function more(): Promise<Buffer> {
    const next = await iterator.next().catch(() => ({ done: true, value: undefined }) as const);
    if (next.done === true) throw endFault(await ended, subject);
    return next.value;
  }

  return {
    async stop() {
      await iterator.return?.();
    },
    async line() {
      let end = rest.indexOf(10);
      while (end < 0) {
        rest = Buffer.concat([rest, await more()]);
        end = rest.indexOf(10);
      }
      const text = rest.toString("latin1", 0, end);
      rest = rest.subarray(end + 1);
      return text;
    },
    async exactly(size) {
      const chunks = [rest];
      let have = rest.length;
      while (have < size) {
        const chunk = await more();
        chunks.push(chunk);
        have += chunk.length;
      }
      const all = chunks.length === 1 ? rest : Buffer.concat(chunks, have);
      rest = all.subarray(size);
      return all.subarray(0, size);
    },
  };
}

/** Sizes of blobs by id; those that are missing are absent. One process for all. */
export async function readSizes(git: Git, run: GitRun, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const stdin = `${ids.join("\n")}\n`;
  const output = await git.output(["cat-file", "--batch-check=%(objectname) %(objectsize)", "--buffer"], {
    ...run,
    stdin,
  });
  const sizes = new Map<string, number>();
  for (const line of output.toString("latin1").split("\n")) {
    const match = /^([0-9a-f]{40,64}) (\d+)$/.exec(line);
    if (match) sizes.set(match[1] as string, Number(match[2]));
  }
  return sizes;
}
