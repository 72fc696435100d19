// Which state file a session of an HTTP server writes that was not started for a pass.

export interface StatePaths {
  take(sessionId: string): string;
  release(sessionId: string): void;
}

/**
 * A server that was started by hand has a state for each session, so that clients never mix findings: the first one open has
 * the plain path (and continues what lies there, as a restarted stdio server does), every other one open beside it has its
 * session's id in the name.
 */
export function createStatePaths(path: string): StatePaths {
  let holder: string | null = null;

  return {
    take(sessionId) {
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
