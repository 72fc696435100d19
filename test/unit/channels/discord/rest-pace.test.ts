// The bot's own pace of fifty calls a second does not hold up what an interaction's token answers: people wait for three seconds.
import { afterEach, beforeEach, expect, it } from "vitest";
import { createDiscordRest } from "../../../../channels/discord/rest.ts";
import { type DiscordRestFake, startRestFake } from "../../../fakes/discord/rest.ts";
import { kinds } from "../../../fakes/discord/rest-world.ts";

let fake: DiscordRestFake;
beforeEach(async () => {
  fake = await startRestFake();
});
afterEach(() => fake.close());

it("lets acknowledgements pass what waits for the next second", async () => {
  const { world } = fake;
  const rest = createDiscordRest({ token: world.token, apiUrl: fake.apiUrl });
  const guild = world.addGuild().id;
  const user = "500000000000000001";
  const channels = Array.from({ length: 55 }, () => world.addChannel(guild, kinds.text).id);
  const interactions = channels.slice(0, 5).map((channel) => world.openInteraction({ type: 2, channel, user }));
  const calls = channels.map((channel) => rest.call({ method: "GET", path: `/channels/${channel}` }));
  const acknowledged = interactions.map(({ id, token }) =>
    rest.call({ method: "POST", path: `/interactions/${id}/${token}/callback`, body: { type: 5 }, auth: false }),
  );
  await Promise.all([...calls, ...acknowledged]);
  const order = fake.requests.map(({ method }) => method);
  expect(order).toHaveLength(60);
  // Five of the bot's calls waited; every acknowledgement was there before them.
  expect(order.slice(-5)).toEqual(Array.from({ length: 5 }, () => "GET"));
});
