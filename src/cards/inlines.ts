// Small constructions of inline content, shared by the readers of Markdown.
import type { Block, Inline } from "../core/card.ts";

/** Joins neighbouring texts and drops empty ones. */
export function joined(inlines: readonly Inline[]): readonly Inline[] {
  const result: Inline[] = [];
  for (const inline of inlines) {
    const last = result.at(-1);
    if (inline.kind === "text") {
      if (inline.text === "") continue;
      if (last?.kind === "text") {
        result[result.length - 1] = { kind: "text", text: last.text + inline.text };
        continue;
      }
    } else if (inline.kind === "code" && inline.text === "") continue;
    result.push(inline);
  }
  return result;
}

/** Text with its newlines as breaks. */
export function textInlines(text: string): readonly Inline[] {
  if (!text.includes("\n")) return text === "" ? [] : [{ kind: "text", text }];
  return text
    .split("\n")
    .flatMap((line, index): Inline[] => [
      ...(index === 0 ? [] : [{ kind: "break" } as const]),
      ...(line === "" ? [] : [{ kind: "text", text: line } as const]),
    ]);
}

/** Blocks pressed into one run of inline content, where a place allows nothing else. */
export function flattened(blocks: readonly Block[]): readonly Inline[] {
  const parts = blocks.map(inlinesOf).filter((part) => part.length > 0);
  return parts.flatMap((part, index) => (index === 0 ? part : [{ kind: "break" } as const, ...part]));
}

function inlinesOf(block: Block): readonly Inline[] {
  switch (block.kind) {
    case "heading":
    case "text":
      return block.children;
    case "code":
      return block.text.split("\n").flatMap((line, index): Inline[] => {
        const code: Inline[] = line === "" ? [] : [{ kind: "code", text: line }];
        return index === 0 ? code : [{ kind: "break" }, ...code];
      });
    case "quote":
      return flattened(block.blocks);
    case "list":
      return flattened(
        block.items.map((item, index): Block => {
          const marker = block.ordered ? `${(block.start ?? 1) + index}. ` : "- ";
          return { kind: "text", children: [{ kind: "text", text: marker }, ...flattened(item)] };
        }),
      );
    case "table":
      return flattened(
        [block.header, ...block.rows].map((row): Block => ({ kind: "text", children: rowInlines(row) })),
      );
    case "fields":
      return flattened(
        block.fields.map(
          (field): Block => ({ kind: "text", children: [{ kind: "text", text: `${field.label} ` }, ...field.value] }),
        ),
      );
    case "image":
      return block.alt === "" ? [] : [{ kind: "text", text: block.alt }];
    case "divider":
    case "actions":
      return [];
  }
}

function rowInlines(row: readonly (readonly Inline[])[]): readonly Inline[] {
  return row.flatMap((cell, index) => (index === 0 ? cell : [{ kind: "text", text: " | " } as const, ...cell]));
}
