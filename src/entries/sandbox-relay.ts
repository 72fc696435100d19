// Bundle of the relay inside a sandbox: `sandbox-relay.mjs [--socket <path> --port <n>] -- <program> [arguments]`.
import { runRelay } from "../sandbox/relay.ts";

process.exitCode = await runRelay(process.argv.slice(2));
