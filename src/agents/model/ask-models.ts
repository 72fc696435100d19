// Gets one step out of the models: the first that answers, each asked again as long as it makes sense, Retry-After as a minimum.
import type { LanguageModel } from "ai";
import type { Clock } from "../../ports/clock.ts";
import { classifyFault } from "./classify-fault.ts";
import type { TaskEndpoint, TroubleKind } from "./task.ts";

/** Tries of one model for one step. */
const MAX_TRIES = 4;
/** Waits before another try, ms, where the endpoint names none. */
const WAITS_MS = [1_000, 3_000, 9_000] as const;
/** A longer wait is not worth it while there is another model to ask, ms. */
const PATIENCE_MS = 30_000;

export interface Candidate {
  readonly endpoint: TaskEndpoint;
  readonly model: () => Promise<LanguageModel>;
}

export type Asked<T> =
  | { readonly kind: "answered"; readonly value: T; readonly by: TaskEndpoint }
  | { readonly kind: "stopped"; readonly why: "budget" | "time" | "aborted" }
  | { readonly kind: "too_long" }
  | { readonly kind: "trouble"; readonly trouble: TroubleKind; readonly message: string };

export interface AskPorts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** ms. */
  readonly timeLeft: () => number;
  readonly onRetry: (note: string) => void;
}

export interface Models {
  /** @param step throws what the request threw. */
  ask<T>(step: (candidate: Candidate) => Promise<T>): Promise<Asked<T>>;
}

/** A model that failed for good is not asked again in this run: the ones after it go on. */
export function createModels(candidates: readonly Candidate[], ports: AskPorts): Models {
  const { clock, signal } = ports;
  const left = [...candidates];

  return {
    async ask(step) {
      let last: { trouble: TroubleKind; message: string } = { trouble: "unreachable", message: "no model is left" };
      while (left[0] !== undefined) {
        const candidate = left[0];
        const tried = await tryOne(candidate, step, left.length > 1);
        if (tried.kind !== "trouble") return tried;
        last = tried;
        ports.onRetry(`${candidate.endpoint.name}: ${tried.message}`);
        left.shift();
      }
      return { kind: "trouble", ...last };
    },
  };

  async function tryOne<T>(
    candidate: Candidate,
    step: (candidate: Candidate) => Promise<T>,
    hasOthers: boolean,
  ): Promise<Asked<T>> {
    for (let tries = 1; ; tries++) {
      try {
        return { kind: "answered", value: await step(candidate), by: candidate.endpoint };
      } catch (thrown) {
        if (signal.aborted) return { kind: "stopped", why: "aborted" };
        const fault = classifyFault(thrown, clock.now());
        if (fault.kind === "budget") return { kind: "stopped", why: "budget" };
        if (fault.kind === "too_long") return { kind: "too_long" };
        if (fault.kind === "never") return { kind: "trouble", trouble: fault.trouble, message: fault.message };
        const wait = Math.max(fault.afterMs, WAITS_MS[tries - 1] ?? 0);
        if (tries >= MAX_TRIES || (hasOthers && wait > PATIENCE_MS)) return unreachable(fault.message);
        // Waiting longer than there is time for would only end later in the same way.
        if (wait >= ports.timeLeft()) return hasOthers ? unreachable(fault.message) : { kind: "stopped", why: "time" };
        ports.onRetry(`${candidate.endpoint.name}: ${fault.message}; again in ${Math.ceil(wait / 1000)} s`);
        if (!(await pause(wait))) return { kind: "stopped", why: "aborted" };
      }
    }
  }

  /** False when the run is aborted meanwhile. */
  function pause(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const onAbort = (): void => {
        cancel();
        resolve(false);
      };
      const cancel = clock.after(ms, () => {
        signal.removeEventListener("abort", onAbort);
        resolve(true);
      });
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}

function unreachable(message: string): { kind: "trouble"; trouble: TroubleKind; message: string } {
  return { kind: "trouble", trouble: "unreachable", message };
}
