// Finds paths in a commit by walking its trees byte for byte, which no quoting, pattern or line break in a name can mislead.
import { damaged, type Subject } from "./faults.ts";
import type { Objects } from "./objects.ts";

interface TreeEntry {
  /** Octal text as git prints it: `100644`, `120000`, `040000`, `160000`. */
  readonly mode: string;
  readonly id: string;
}

export interface Trees {
  /** @param path bytes as latin1, relative, without empty components. */
  find(path: string): Promise<TreeEntry | null>;
}

/** Trees that were read are kept for the life of the walk, so that files of one folder cost one read. */
export function createTrees(objects: Objects, commit: string, subject: Subject): Trees {
  const known = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>();

  function tree(name: string): Promise<ReadonlyMap<string, TreeEntry>> {
    let entries = known.get(name);
    if (entries === undefined) {
      entries = readTree(objects, name, subject);
      known.set(name, entries);
    }
    return entries;
  }

  return {
    async find(path) {
      let entry: TreeEntry = { mode: "040000", id: `${commit}^{tree}` };
      for (const component of path.split("/")) {
        if (entry.mode !== "040000") return null;
        const next = (await tree(entry.id)).get(component);
        if (next === undefined) return null;
        entry = next;
      }
      return entry;
    },
  };
}

async function readTree(objects: Objects, name: string, subject: Subject): Promise<ReadonlyMap<string, TreeEntry>> {
  const object = await objects.read(name);
  if (typeof object === "string" || object.type !== "tree") throw damaged(subject, `tree ${name} cannot be read`);
  const idBytes = object.id.length / 2;
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < object.bytes.length; ) {
    const space = object.bytes.indexOf(0x20, at);
    const end = object.bytes.indexOf(0, space);
    if (space < 0 || end < 0) throw damaged(subject, `tree ${name} is malformed`);
    entries.set(object.bytes.toString("latin1", space + 1, end), {
      mode: object.bytes.toString("latin1", at, space).padStart(6, "0"),
      id: object.bytes.toString("hex", end + 1, end + 1 + idBytes),
    });
    at = end + 1 + idBytes;
  }
  return entries;
}
