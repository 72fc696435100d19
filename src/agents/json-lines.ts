// Reads the JSON lines of an agent's own stream, which chunks may cut anywhere; whatever is no JSON object is passed over.

/** Longer lines are passed over whole: agents print the files that they read. */
const longestLine = 8 * 1024 * 1024;

export interface JsonLines {
  add(chunk: Uint8Array): void;
  /** Reads a last line that nothing ended. */
  end(): void;
}

export function createJsonLines(onObject: (value: Readonly<Record<string, unknown>>) => void): JsonLines {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let held = 0;
  let isTooLong = false;

  function take(text: string): void {
    held += text.length;
    if (held > longestLine) {
      isTooLong = true;
      parts = [];
    }
    if (!isTooLong) parts.push(text);
  }

  function finish(): void {
    const line = parts.join("");
    const isUsable = !isTooLong && line.trimStart().startsWith("{");
    parts = [];
    held = 0;
    isTooLong = false;
    if (!isUsable) return;
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value === "object" && value !== null) onObject(value as Readonly<Record<string, unknown>>);
    } catch {
      // A banner, a warning, half a line: not for us.
    }
  }

  return {
    add(chunk) {
      const pieces = decoder.decode(chunk, { stream: true }).split("\n");
      pieces.forEach((piece, index) => {
        take(piece);
        if (index < pieces.length - 1) finish();
      });
    },
    end: finish,
  };
}
