// One conversation about one part of a change: steps until the model has nothing more to call, or a bound is reached.
import type { ModelMessage, ToolSet } from "ai";
import type { Clock } from "../../ports/clock.ts";
import { countTokens } from "../prompt/count-tokens.ts";
import type { Models } from "./ask-models.ts";
import { compact } from "./compact.ts";
import type { Meter } from "./meter.ts";
import { takeStep } from "./take-step.ts";
import type { TaskEnd } from "./task.ts";

export interface PartInput {
  readonly system: string;
  readonly text: string;
  readonly tools: ToolSet;
  readonly models: Models;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly idleMs: number;
  readonly signal: AbortSignal;
  /** Whether the model has reported or concluded something in this part; without it, it is told once that it must. */
  readonly mustSpeak?: () => boolean;
  /** Whether there were more calls than any review needs. */
  readonly isFlooded: () => boolean;
  /** Told after each step: which model answered. */
  readonly onStep: (model: string) => void;
}

export type PartEnd = Exclude<TaskEnd, { kind: "no_tools" }>;

/** Share of a model's window that a conversation may fill before old results go. */
const FILL = 0.6;
/** The same once the endpoint has said that it is too much. */
const TIGHT_FILL = 0.35;
/** How often a cut answer may be gone on with. */
const MAX_CUTS = 2;

const goOn = "Your answer was cut at its most tokens. Go on with shorter calls.";
const speak =
  "You have called no tool that reports. Report the problems of this part, or say with the skip tool that there is none; text is not read.";

export async function readPart(input: PartInput): Promise<PartEnd> {
  const { meter, models } = input;
  let messages: readonly ModelMessage[] = [{ role: "user", content: input.text }];
  let cuts = 0;
  let fill = FILL;
  let wasTold = false;
  for (;;) {
    if (input.signal.aborted) return { kind: "limit", limit: "time" };
    const asked = await models.ask((candidate) => {
      const room = candidate.endpoint.contextTokens * fill - countTokens(input.system);
      messages = compact(messages, room);
      return takeStep(candidate, { ...input, messages });
    });
    if (asked.kind === "too_long" && fill === FILL) {
      fill = TIGHT_FILL;
      continue;
    }
    if (asked.kind === "too_long")
      return { kind: "trouble", trouble: "refused", message: "the change is too long for the model" };
    if (asked.kind === "stopped") return { kind: "limit", limit: asked.why === "budget" ? budgetOf(meter) : "time" };
    if (asked.kind === "trouble") return asked;
    const step = asked.value;
    if (step.kind === "limit") return step;
    input.onStep(asked.by.model);
    messages = [...messages, ...step.messages];
    if (input.isFlooded()) return { kind: "limit", limit: "steps" };
    if (step.calls > 0) continue;
    if (step.finish === "length" && cuts < MAX_CUTS) {
      cuts++;
      messages = [...messages, { role: "user", content: goOn }];
      continue;
    }
    if (input.mustSpeak?.() === false && !wasTold) {
      wasTold = true;
      messages = [...messages, { role: "user", content: speak }];
      continue;
    }
    return { kind: "done", text: step.text };
  }
}

/** The proxy has refused by its own count: the bound in money if there is a price, else that in tokens. */
function budgetOf(meter: Meter): "money" | "tokens" {
  return meter.usage().money === undefined ? "tokens" : "money";
}
