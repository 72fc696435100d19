// Takes clicks: a toast within the platform's time, and after it the core's work, so that its edit of the card is the last word.
import type { Channel, Inbox } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { type Background, messageOf } from "./background.ts";
import { type EventClaims, within } from "./event-claims.ts";
import { type Click, clicked, type Hearing, type NativeEvent } from "./inbound.ts";
import type { People } from "./people.ts";
import { ANSWER_MS } from "./receive.ts";
import type { Words } from "./words.ts";

export interface ClickPorts {
  readonly inbox: Pick<Inbox, "action">;
  readonly claims: EventClaims;
  readonly channel: Pick<Channel, "remove">;
  readonly words: Words;
  readonly people: People;
  readonly background: Background;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A card that is edited before the click has its answer is set back by the client: the work begins this much later, ms. */
const AFTER_ACK_MS = 50;
/** How long the name of who pressed may take, ms; without it the card shows an id. */
const NAME_MS = 2_000;

/**
 * The handler of `card.action.trigger`. It always answers an object (the platform takes nothing else), and never throws: a
 * click is not pushed again.
 */
export function createClick(
  ports: ClickPorts,
  hearing: Pick<Hearing, "tenant">,
): (native: NativeEvent) => Promise<Readonly<Record<string, unknown>>> {
  const { inbox, claims, channel, words, people, background, clock, logger } = ports;

  async function answer(native: NativeEvent): Promise<Readonly<Record<string, unknown>>> {
    const click = clicked(native, hearing);
    if (click === "unknown" || click === "not_yours") {
      logger.info("lark.click_refused", { why: click });
      return { ...(await words.toast(click)) };
    }
    try {
      await claims.begin(`click/${click.action.eventId}`, async () => {
        await new Promise<void>((resolve) => void clock.after(AFTER_ACK_MS, resolve));
        await act(click);
      });
    } catch (thrown) {
      logger.error("lark.click_not_taken", { event: click.action.eventId, error: messageOf(thrown) });
      return { ...(await words.toast("not_taken")) };
    }
    return { ...(await words.toast("received")) };
  }

  async function act({ action, formCard }: Click): Promise<void> {
    const name = await people.name(action.person.person, NAME_MS);
    const person = { ...action.person, ...(name === undefined ? {} : { name }) };
    try {
      await inbox.action({ ...action, person });
    } catch (thrown) {
      logger.error("lark.action_failed", { event: action.eventId, error: messageOf(thrown) });
      throw thrown;
    }
    if (formCard === undefined) return;
    // What was asked is answered; the card that asked would only be pressed again.
    background.run("lark.form_stays", () => channel.remove({ ...action.conversation, message: formCard }));
  }

  return async (native) => {
    // However slow the texts or the store: an empty object is an answer too.
    const safely = answer(native).catch((thrown: unknown) => {
      logger.error("lark.click_unanswered", { error: messageOf(thrown) });
      return {};
    });
    const answered = await within(safely, ANSWER_MS, clock);
    if (answered === undefined) logger.warn("lark.click_late", {});
    return answered ?? {};
  };
}
