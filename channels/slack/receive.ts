// Leads every inbound event to who answers it, and acknowledges it when it is taken over.
import type { InboundLifecycle, Inbox } from "../../src/ports/channel.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { HandleInbound } from "./bolt.ts";
import type { Home } from "./home.ts";
import type { PressedButton, SubmittedView } from "./inbound.ts";
import { elementIds, modalIds } from "./modals.ts";
import type { Once } from "./once.ts";
import { isLateForm, type Pressed } from "./pressed.ts";
import type { Shortcut } from "./shortcut.ts";
import type { Spoken } from "./spoken.ts";

export interface ReceivePorts {
  /** Undefined while the channel starts or stops: what comes then is to be sent again. */
  readonly inbox: () => Inbox | undefined;
  readonly once: Once;
  readonly spoken: Spoken;
  readonly pressed: Pressed;
  readonly shortcut: Shortcut;
  readonly home: Home;
  /** Before the core is told. */
  readonly onLifecycle: (event: InboundLifecycle) => Promise<void>;
  readonly logger: Logger;
}

export function createReceive(ports: ReceivePorts): HandleInbound {
  const { once, spoken, pressed, shortcut, home, logger } = ports;

  return async (inbound, ack) => {
    const inbox = ports.inbox();
    if (inbox === undefined) throw new Error("the channel is not started");
    switch (inbound.kind) {
      case "command":
        return spoken.command(inbound, inbox, () => ack());
      case "mention":
      case "direct":
        return spoken.message(inbound, inbox);
      case "press":
        return press(inbound, inbox, ack);
      case "submit":
        return submit(inbound, inbox, ack);
      case "shortcut":
        // Slack shows nothing of it, so that there is nothing to wait with.
        await ack();
        return shortcut.review(inbound, inbox);
      case "home":
        return home.show(inbound, inbox);
      case "lifecycle":
        return void (await once(inbound.key, async () => {
          await ports.onLifecycle(inbound.event);
          await inbox.lifecycle(inbound.event);
        }));
      case "ignored":
        logger.debug("slack.ignored", { why: inbound.why });
        return ack();
    }
  };

  async function press(given: PressedButton, inbox: Inbox, ack: Acknowledge): Promise<void> {
    if (given.actionId === elementIds.openSubscribe)
      return void (await Promise.all([ack(), home.openSubscribe(given)]));
    if (given.view?.callbackId === modalIds.subscribe)
      return void (await Promise.all([ack(), home.choose(given, inbox)]));
    if (isLateForm(given)) return void (await Promise.all([ack(), pressed.openAgain(given)]));
    return pressed.press(given, inbox);
  }

  /** An acknowledgement closes the modal; what it asked for is done behind it. */
  async function submit(given: SubmittedView, inbox: Inbox, ack: Acknowledge): Promise<void> {
    await ack();
    switch (given.view.callbackId) {
      case modalIds.form:
        return pressed.submit(given, inbox);
      case modalIds.repository:
        return shortcut.chosen(given, inbox);
      case modalIds.subscribe:
        return home.subscribe(given, inbox);
      default:
        logger.debug("slack.ignored", { why: "a modal of somebody else" });
    }
  }
}

type Acknowledge = Parameters<HandleInbound>[1];
