// Which state file a session of the HTTP server writes.

export interface StatePaths {
  take(sessionId: string): string;
  release(sessionId: string): void;
}

/**
 * A server that was started for a pass (`shared`) has one state, whoever calls: the orchestrator reads one file. A server
 * started by hand has a state for each session, so that clients never mix findings: the first one open has the plain path (and
 * continues what lies there, as a restarted stdio server does), every other one open beside it has its session's id in the name.
 */
export function createStatePaths(path: string, options: { readonly shared: boolean }): StatePaths {
  let holder: string | null = null;

  return {
    take(sessionId) {
      if (options.shared) return path;
      if (holder !== null) return withInfix(path, sessionId);
      holder = sessionId;
      return path;
    },
    release(sessionId) {
      if (holder === sessionId) holder = null;
    },
  };
}

/** `a/.aicr-output-state.json` → `a/.aicr-output-state.<infix>.json` */
function withInfix(path: string, infix: string): string {
  return path.endsWith(".json") ? `${path.slice(0, -".json".length)}.${infix}.json` : `${path}.${infix}`;
}
