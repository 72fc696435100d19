// Values on their way through a template: what filters make of them, and the placeholders they leave in the Markdown.
import { type Slot, slotPlaceholder } from "../ports/texts.ts";

const mark = Symbol("slots");

/** One or more slots in a row; filters return it, so that output knows it from plain text. */
export interface SlotValue {
  readonly [mark]: readonly Slot[];
  /** For templates that compare or print a filtered value. */
  toString(): string;
}

export function slotValue(...slots: readonly Slot[]): SlotValue {
  return { [mark]: slots, toString: () => slots.map((slot) => slot.text).join("") };
}

export function slotsOf(value: unknown): readonly Slot[] | null {
  return typeof value === "object" && value !== null && mark in value ? (value as SlotValue)[mark] : null;
}

/** Plain text of anything a template may hold. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined || value === false) return "";
  if (Array.isArray(value)) return value.map(textOf).join("");
  return String(value);
}

/** Collects the slots of one rendering. */
export interface SlotCollector {
  /** Takes a value out of the Markdown; an empty value leaves nothing. */
  place(value: unknown): string;
  readonly slots: ReadonlyMap<string, Slot>;
}

export function createSlotCollector(): SlotCollector {
  const slots = new Map<string, Slot>();
  return {
    slots,
    place: (value) => {
      const given = slotsOf(value) ?? [{ kind: "text", text: textOf(value) } as const];
      return given.map(placeSlot).join("");
    },
  };

  function placeSlot(slot: Slot): string {
    if (slot.text === "") return "";
    const key = slotPlaceholder(slots.size);
    slots.set(key, slot);
    return key;
  }
}
