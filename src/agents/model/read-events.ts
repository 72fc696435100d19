// Reads what the process of the model agent tells: lines of JSON, which chunks may cut anywhere; anything else is ignored.
import { type TaskEnd, type TaskEvent, taskEvent } from "./task.ts";

export interface TaskReading {
  add(chunk: Uint8Array): void;
  /** Absent: it died before it could say how it ended. */
  end(): TaskEnd | undefined;
  /** Ids of the models that have seen the code. */
  readonly models: ReadonlySet<string>;
  /** Parts that were read to their end, counted from 0. */
  readonly parts: ReadonlySet<number>;
}

/** A longer line is none of ours, bytes. */
const longestLine = 256 * 1024;

/** @param onProgress told what the process says of its progress; an endpoint's own words may be in it. */
export function readEvents(onProgress: (note: string) => void): TaskReading {
  const decoder = new TextDecoder();
  const models = new Set<string>();
  const parts = new Set<number>();
  let rest = "";
  let ended: TaskEnd | undefined;

  function take(event: TaskEvent): void {
    if ("progress" in event) onProgress(event.progress.slice(0, 200));
    else if ("model" in event) models.add(event.model);
    else if ("part" in event) parts.add(event.part);
    else if ("end" in event) ended = event.end;
  }

  return {
    add(chunk) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > longestLine) rest = "";
      for (const line of lines) {
        const event = readLine(line);
        if (event !== null) take(event);
      }
    },
    end: () => ended,
    models,
    parts,
  };
}

function readLine(line: string): TaskEvent | null {
  if (!line.startsWith("{")) return null;
  try {
    const read = taskEvent.safeParse(JSON.parse(line));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}
