// Puts the relay before an agent's program: inside a wall it is the way to the model, and the first process of a container.
import type { SandboxView } from "../ports/sandbox.ts";

/**
 * @param when `always` in containers, whose first process would otherwise be the agent, and deaf to SIGTERM; they also outlive
 *   this process, so that the relay itself ends them after so many seconds.
 */
export function withRelay(
  [node, entry]: readonly [node: string, entry: string],
  view: SandboxView,
  argv: readonly [string, ...string[]],
  when: "when_needed" | { readonly always: true; readonly seconds: number },
): readonly [string, ...string[]] {
  const { relay } = view;
  if (relay === undefined && when === "when_needed") return argv;
  const socket = relay === undefined ? [] : ["--socket", relay.socket, "--port", String(relay.port)];
  const seconds = when === "when_needed" ? [] : ["--seconds", String(when.seconds)];
  return [node, entry, ...socket, ...seconds, "--", ...argv];
}
