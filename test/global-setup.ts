// Builds the bundles once before any test, so that suites that spawn the product run what the sources say now.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export default function setup(): void {
  if (process.env["AICR_SKIP_BUILD"] === "1") return;
  const script = fileURLToPath(new URL("../scripts/build.mjs", import.meta.url));
  execFileSync(process.execPath, [script], { stdio: ["ignore", "ignore", "inherit"] });
}
