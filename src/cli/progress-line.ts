// One line on the terminal that says what is going on, rewritten in place and wiped at the end.
import type { CommandIo } from "./io.ts";

export interface ProgressLine {
  show(text: string): void;
  /** Removes the line, so that what is printed next stands alone. */
  wipe(): void;
}

/** Writes nothing where stderr is no terminal. */
export function createProgressLine(io: Pick<CommandIo, "stderr" | "stderrIsTerminal" | "columns">): ProgressLine {
  let shown = false;
  return {
    show(text) {
      if (!io.stderrIsTerminal) return;
      io.stderr(`\r\u001b[2K${text.slice(0, Math.max(10, io.columns - 1))}`);
      shown = true;
    },
    wipe() {
      if (shown) io.stderr("\r\u001b[2K");
      shown = false;
    },
  };
}
