// What an agent behind a wall sees of the machine: its run directory as /workspace, two sockets, and programs; nothing else.
import { basename, dirname, join, posix, relative } from "node:path";
import type { RunPaths } from "../ports/agent.ts";
import type { SandboxMount, SandboxScope, SandboxView } from "../ports/sandbox.ts";

/** Where the run directory appears; the working directory is /workspace/agent. */
const WORKSPACE = "/workspace";
const SOCKETS = "/run/aicr";
/** Of the relay, in a network of its own, where every port is free. */
const RELAY_PORT = 8642;

/** The view of backends that share the machine's files: nothing moves. */
export function viewInPlace(scope: SandboxScope): SandboxView {
  return {
    paths: scope.paths,
    home: join(scope.paths.tmp, "home"),
    ...(scope.resolver === undefined ? {} : { resolver: scope.resolver }),
    mounts: [],
  };
}

/**
 * The view behind a wall. The run directory is mounted whole and read-only, so that a rename in it is seen, and its writable
 * folders once more over it.
 */
export function viewBehindWall(scope: SandboxScope): SandboxView {
  const { paths } = scope;
  const inside = insidePaths(paths);
  const resolver = scope.resolver === undefined ? null : socket(scope.resolver, "resolver");
  const model = scope.modelSocket === undefined ? null : socket(scope.modelSocket, "model");
  const mounts: SandboxMount[] = [
    { host: paths.root, inside: inside.root, isWritable: false },
    { host: paths.agent, inside: inside.agent, isWritable: true },
    { host: paths.tmp, inside: inside.tmp, isWritable: true },
    ...(scope.programs ?? []).map((path) => ({ host: path, inside: path, isWritable: false })),
    ...[resolver, model].flatMap((one) => (one === null ? [] : [one.mount])),
  ];
  return {
    paths: inside,
    home: posix.join(inside.tmp, "home"),
    ...(resolver === null ? {} : { resolver: resolver.path }),
    ...(model === null
      ? {}
      : {
          modelOrigin: `http://127.0.0.1:${RELAY_PORT}`,
          relay: { socket: model.path, port: RELAY_PORT },
        }),
    mounts,
  };
}

function insidePaths(paths: RunPaths): RunPaths {
  const at = (path: string): string => posix.join(WORKSPACE, relative(paths.root, path));
  return {
    root: WORKSPACE,
    change: at(paths.change),
    source: at(paths.source),
    base: at(paths.base),
    agent: at(paths.agent),
    tmp: at(paths.tmp),
    state: at(paths.state),
  };
}

/** The folder is mounted, not the socket: a socket that is made anew is then still the one that is seen. */
function socket(path: string, name: string): { readonly path: string; readonly mount: SandboxMount } {
  const inside = posix.join(SOCKETS, name);
  return {
    path: posix.join(inside, basename(path)),
    mount: { host: dirname(path), inside, isWritable: false },
  };
}
