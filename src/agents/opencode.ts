// OpenCode; it looks for its npm packages even when told not to, which a sandbox without a network ends.
import { createOpenCodeLine } from "./open-code.ts";

export const opencode = createOpenCodeLine({
  kind: "opencode",
  title: "OpenCode",
  program: "opencode",
  install: "npm install -g opencode-ai",
  prefix: "OPENCODE",
  quiet: {},
  isQuiet: false,
});
