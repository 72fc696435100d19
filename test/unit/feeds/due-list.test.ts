// The list of what is due, against sorting.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createDueList } from "../../../src/feeds/due-list.ts";

test("hands out what is due, the earliest first and equal times in order, and nothing else", () => {
  const steps = fc.array(
    fc.oneof(fc.record({ add: fc.integer({ min: 0, max: 20 }) }), fc.record({ take: fc.integer({ min: 0, max: 20 }) })),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(steps, (commands) => {
      const list = createDueList<number>();
      let model: { readonly at: number; readonly item: number }[] = [];
      commands.forEach((command, item) => {
        if ("add" in command) {
          list.add(item, command.add);
          model.push({ at: command.add, item });
        } else {
          const [first] = model.filter(({ at }) => at <= command.take).sort((a, b) => a.at - b.at || a.item - b.item);
          expect(list.takeDue(command.take)).toBe(first?.item ?? null);
          model = model.filter((one) => one !== first);
        }
        expect(list.size).toBe(model.length);
      });
    }),
  );
});
