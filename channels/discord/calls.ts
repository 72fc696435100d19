// The calls beside the channel port that the receiving half makes: acknowledgements and answers of interactions, and the commands.
import type { Page } from "../../src/core/card.ts";
import type { MessageRef } from "../../src/core/delivery.ts";
import type { ChannelForm } from "../../src/ports/channel.ts";
import type { Origin } from "./inbound.ts";
import type { OpenInteraction } from "./open-interactions.ts";

/** What became of an acknowledgement; both refusals mean that the work goes on and answers by other ways. */
export type Acknowledged =
  | "done"
  /** 10062: later than three seconds, or never known. Nothing can be answered through this interaction. */
  | "too_late"
  /** 40060: somebody has answered it, perhaps another process with the same token. */
  | "already";

export type FirstAnswer =
  /** Type 5: a "thinking" message; whether only the person sees it is decided here, for good. */
  | { readonly kind: "defer"; readonly isPrivate: boolean }
  /** Type 6: nothing to be seen, the card stays. */
  | { readonly kind: "defer_update" }
  /** Type 8; at most 25, each at most 100 characters. */
  | { readonly kind: "choices"; readonly choices: readonly { readonly name: string; readonly value: string }[] }
  /** Type 9; only as the first answer. `origin` of a press in a direct message goes into the form's id. */
  | { readonly kind: "form"; readonly form: ChannelForm; readonly origin?: Origin };

export interface InteractionCalls {
  /** Throws ChannelError for every other refusal than those of `Acknowledged`. */
  acknowledge(interaction: { readonly id: string; readonly token: string }, answer: FirstAnswer): Promise<Acknowledged>;
  /**
   * Fills the original response if it waits, else follows up. `expired`: the token is over (50027, 10015), so say it by `send`.
   * @param isPrivate of a follow-up; the original is what its deferral made it.
   */
  answer(interaction: OpenInteraction, page: Page, isPrivate: boolean): Promise<MessageRef | "expired">;
  /** Takes away a "thinking" message that nothing will fill; whether it is gone already does not matter. */
  dropOriginal(interaction: OpenInteraction): Promise<void>;
}

export interface CommandCalls {
  /** What is registered now, as Discord shows it. @param guild absent: the global ones. */
  commands(guild?: string): Promise<readonly unknown[]>;
  /** Replaces all of them (bulk overwrite). `over_limit`: 30034 or 30032, not to be tried again at this start. */
  replaceCommands(commands: readonly unknown[], guild?: string): Promise<"done" | "over_limit">;
}
