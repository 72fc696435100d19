// Kilo, whose telemetry goes to several places unless three variables say no.
import { createOpenCodeLine } from "./open-code.ts";

export const kilo = createOpenCodeLine({
  kind: "kilo",
  title: "Kilo",
  program: "kilo",
  install: "npm install -g @kilocode/cli@7.7.7",
  prefix: "KILO",
  quiet: { KILO_TELEMETRY_LEVEL: "off", KILO_DISABLE_SESSION_INGEST: "1" },
  isQuiet: true,
});
