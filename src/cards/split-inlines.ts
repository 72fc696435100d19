// Cuts inline content into pieces that fit: never inside a link, and inside code or a word only where it must be.
import type { Inline } from "../core/card.ts";
import { cutPoint } from "./cut-text.ts";
import { inlinesTextSize, jsonBytes, type Room } from "./measure.ts";

/** Pieces that together hold everything but line breaks at a cut; each fits the room, which must hold one character at least. */
export function splitInlines(children: readonly Inline[], room: Room): readonly (readonly Inline[])[] {
  const pieces: (readonly Inline[])[] = [];
  let rest = children;
  while (rest.length > 0) {
    const [head, tail] = takeInlines(rest, room, true);
    pieces.push(head);
    rest = withoutLeadingBreaks(tail);
  }
  return pieces;
}

type Taken = readonly [head: readonly Inline[], tail: readonly Inline[]];

/** @param must take something even if it has to be cut in a bad place. */
function takeInlines(children: readonly Inline[], room: Room, must: boolean): Taken {
  const head: Inline[] = [];
  let text = 0;
  let bytes = 0;
  for (const [index, inline] of children.entries()) {
    const size = inlinesTextSize([inline]);
    const weight = room.bytes === Number.POSITIVE_INFINITY ? 0 : jsonBytes(inline);
    if (text + size <= room.text && bytes + weight <= room.bytes) {
      head.push(inline);
      text += size;
      bytes += weight;
      continue;
    }
    const left: Room = { text: room.text - text, bytes: room.bytes - bytes };
    const [first, second] = takeInline(inline, left, must && head.length === 0);
    return [
      [...head, ...first],
      [...second, ...children.slice(index + 1)],
    ];
  }
  return [head, []];
}

function takeInline(inline: Inline, room: Room, must: boolean): Taken {
  switch (inline.kind) {
    case "break":
      return must ? [[inline], []] : [[], [inline]];
    case "text":
      return takeText(inline, room, must);
    case "code":
      return must ? takeText(inline, { text: room.text - 4, bytes: room.bytes }, true) : [[], [inline]];
    case "link": {
      if (!must) return [[], [inline]];
      const inner = innerRoom(inline, room, inline.url.length + 4);
      // An address that is longer than a whole message leads nowhere: its text stays.
      if (inner === null) return takeInlines(inline.children, room, true);
      return wrap(inline, takeInlines(inline.children, inner, true));
    }
    default: {
      const inner = innerRoom(inline, room, 4);
      if (inner !== null) return wrap(inline, takeInlines(inline.children, inner, must));
      return must ? takeInlines(inline.children, room, true) : [[], [inline]];
    }
  }
}

function wrap(inline: Exclude<Inline, { text: string } | { kind: "break" }>, [head, tail]: Taken): Taken {
  return [
    head.length === 0 ? [] : [{ ...inline, children: head }],
    tail.length === 0 ? [] : [{ ...inline, children: tail }],
  ];
}

/** The room inside a link or emphasis; null when there is next to none. */
function innerRoom(inline: Inline, room: Room, marks: number): Room | null {
  const bytes =
    room.bytes === Number.POSITIVE_INFINITY ? room.bytes : room.bytes - jsonBytes({ ...inline, children: [] });
  const text = room.text - marks;
  return text < 8 || bytes < 64 ? null : { text, bytes };
}

function takeText(inline: Extract<Inline, { text: string }>, room: Room, must: boolean): Taken {
  const longest = longestFit(inline, room);
  if (longest < 1 && !must) return [[], [inline]];
  const cut = cutPoint(inline.text, Math.max(1, longest));
  const head = inline.text.slice(0, cut);
  // Half a word at the end of a piece is worse than a shorter piece.
  if (!must && (cut > longest || !/\s/.test(head))) return [[], [inline]];
  const tail = inline.text.slice(cut);
  return [[{ ...inline, text: head }], tail === "" ? [] : [{ ...inline, text: tail }]];
}

/** How many code units of the text fit. */
function longestFit(inline: Extract<Inline, { text: string }>, room: Room): number {
  let high = Math.min(inline.text.length, room.text);
  if (room.bytes === Number.POSITIVE_INFINITY) return high;
  high = Math.min(high, room.bytes);
  let low = 0;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (jsonBytes({ ...inline, text: inline.text.slice(0, middle) }) <= room.bytes) low = middle;
    else high = middle - 1;
  }
  return low;
}

function withoutLeadingBreaks(inlines: readonly Inline[]): readonly Inline[] {
  const first = inlines.findIndex((inline) => inline.kind !== "break");
  return first === -1 ? [] : inlines.slice(first);
}
