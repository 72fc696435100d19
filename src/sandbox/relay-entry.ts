// Puts the relay before an agent's program: inside a wall it is the way to the model, and the first process of a container.
import type { SandboxView } from "../ports/sandbox.ts";

/**
 * @param when `always` in containers, whose first process would otherwise be the agent, and deaf to SIGTERM.
 */
export function withRelay(
  [node, entry]: readonly [node: string, entry: string],
  view: SandboxView,
  argv: readonly [string, ...string[]],
  when: "always" | "when_needed",
): readonly [string, ...string[]] {
  const { relay } = view;
  if (relay === undefined && when === "when_needed") return argv;
  const socket = relay === undefined ? [] : ["--socket", relay.socket, "--port", String(relay.port)];
  return [node, entry, ...socket, "--", ...argv];
}
