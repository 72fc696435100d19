// Cuts a long code block into several whole ones of the same language, between lines where it can.
import type { Block } from "../core/card.ts";
import { cutPoint } from "./cut-text.ts";
import { blockTextSize, jsonBytes, type Room } from "./measure.ts";

type CodeBlock = Extract<Block, { kind: "code" }>;

export function splitCode(block: CodeBlock, room: Room): readonly CodeBlock[] {
  const empty = { ...block, text: "" };
  const textRoom = Math.max(1, room.text - blockTextSize(empty));
  const bytesRoom = room.bytes - (room.bytes === Number.POSITIVE_INFINITY ? 0 : jsonBytes(empty));
  const pieces: CodeBlock[] = [];
  let lines: string[] = [];
  let text = 0;
  let bytes = 0;
  for (const line of block.text.split("\n")) {
    let rest = line;
    for (;;) {
      const left = lines.length === 0 ? textRoom : textRoom - text - 1;
      const leftBytes = lines.length === 0 ? bytesRoom : bytesRoom - bytes - 2;
      const weight = byteLength(rest, room);
      if (rest.length <= left && weight <= leftBytes) {
        text += rest.length + (lines.length === 0 ? 0 : 1);
        bytes += weight + (lines.length === 0 ? 0 : 2);
        lines.push(rest);
        break;
      }
      if (lines.length > 0) {
        flush();
        continue;
      }
      const cut = cutPoint(rest, Math.max(1, longestFit(rest, textRoom, bytesRoom, room)));
      pieces.push({ ...block, text: rest.slice(0, cut) });
      rest = rest.slice(cut);
      if (rest === "") break;
    }
  }
  flush();
  return pieces;

  function flush(): void {
    if (lines.length > 0) pieces.push({ ...block, text: lines.join("\n") });
    lines = [];
    text = 0;
    bytes = 0;
  }
}

function longestFit(line: string, textRoom: number, bytesRoom: number, room: Room): number {
  let high = Math.min(line.length, textRoom, bytesRoom);
  let low = 0;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (byteLength(line.slice(0, middle), room) <= bytesRoom) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Bytes inside a JSON string. */
function byteLength(text: string, room: Room): number {
  return room.bytes === Number.POSITIVE_INFINITY ? 0 : jsonBytes(text) - 3;
}
