// Process entry: serves until a signal drains it; a second signal exits at once.
import { report } from "./cli/command-line.ts";
import { createProcessIo } from "./cli/io.ts";

export async function main(argv: readonly string[]): Promise<void> {
  const io = createProcessIo();
  try {
    const { run } = await import("./cli/commands/serve.ts");
    process.exitCode = await run(argv, io);
  } catch (thrown) {
    process.exitCode = report(thrown, io);
  }
}
