// The chat page's files: served as they are, each pair of colours readable, every word in every language, no way to make markup.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createPageAssets } from "../../../src/web/page-assets.ts";

const folder = fileURLToPath(new URL("../../../src/web/page/", import.meta.url));
const read = (name: string): string => readFileSync(`${folder}${name}`, "utf8");
const names = readdirSync(folder);

describe("the files", () => {
  const assets = createPageAssets();

  it("come with their media type and a tag of their content", async () => {
    const page = await assets("/");
    expect(page?.mediaType).toBe("text/html; charset=utf-8");
    expect(Buffer.from(page?.body ?? []).toString()).toContain("<title>AICR Bot</title>");
    expect(page?.etag).toMatch(/^"[\w-]{22}"$/);
    expect(await assets("/index.html")).toBe(page);
  });

  it("are all there that the page asks for, and nothing else is", async () => {
    const asked = [...read("index.html").matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? "");
    const imported = names
      .filter((name) => name.endsWith(".js"))
      .flatMap((name) => [...read(name).matchAll(/^import .* from "\.(\/[^"]+)";$/gm)].map(([, path]) => path ?? ""));
    expect(asked.length).toBeGreaterThan(5);
    expect(imported.length).toBeGreaterThan(5);
    for (const path of [...asked, ...imported]) expect(await assets(path), path).not.toBeNull();
    for (const path of ["/tsconfig.json", "/../page-assets.ts", "/..", "/x.js", "//etc/passwd", "/.css", "/a/b.css"]) {
      expect(await assets(path), path).toBeNull();
    }
  });

  it("neither stand in the page as script or style nor make markup from text", () => {
    expect(read("index.html")).not.toMatch(/<style|style="|\son\w+="|<script(?![^>]*src=)/);
    for (const name of names.filter((file) => file.endsWith(".js"))) {
      expect(read(name), name).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(/);
    }
  });
});

describe("the words", () => {
  it("are there in every language, with the same placeholders", () => {
    const source = read("texts.js");
    const keys = ["en: {", '"zh-CN": {', "vi: {"].map((start) => {
      const from = source.indexOf(start);
      const block = source.slice(from, source.indexOf("\n  },", from));
      return [...block.matchAll(/^ {4}(\w+):/gm)].map(([, key]) => key).sort();
    });
    expect(keys[0]?.length).toBeGreaterThan(30);
    expect(keys[1]).toEqual(keys[0]);
    expect(keys[2]).toEqual(keys[0]);
    expect(source.match(/showAll: ".*\{n\}/g)).toHaveLength(3);
  });

  it("name every key that the page uses", () => {
    const used = [...read("index.html").matchAll(/data-(?:text|label|placeholder)="(\w+)"/g)].map(([, key]) => key);
    for (const key of used) expect(read("texts.js")).toContain(`    ${key}:`);
  });

  it("know the severities in the bot's languages", () => {
    const page = read("card-view.js");
    for (const locale of ["en", "zh-CN", "vi"]) {
      const path = fileURLToPath(new URL(`../../../templates/locales/${locale}.json`, import.meta.url));
      const catalogue = JSON.parse(readFileSync(path, "utf8")) as Record<string, string>;
      for (const severity of ["critical", "high", "medium", "low"]) {
        expect(page).toContain(`"${catalogue[`severity.${severity}`]?.toLowerCase()}"`);
      }
    }
  });
});

describe("the colours", () => {
  const tokens = new Map(
    [...read("tokens.css").matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name, light, dark]) => [
      name ?? "",
      [light ?? "", dark ?? ""] as const,
    ]),
  );
  const text: readonly (readonly [ink: string, ground: string])[] = [
    ...["ink", "muted", "link", "accent", "danger", "warning", "info"].flatMap((ink) => [
      [ink, "paper"] as const,
      [ink, "surface"] as const,
    ]),
    ["ink", "sunken"],
    ["muted", "sunken"],
    ["ink", "marked"],
    ["muted", "marked"],
    ["on-accent", "accent"],
    ["added-ink", "added"],
    ["removed-ink", "removed"],
  ];
  const shapes = ["edge", "good", "info", "warning", "danger", "accent"].flatMap((shape) => [
    [shape, "paper"] as const,
    [shape, "surface"] as const,
  ]);

  function luminance(hex: string): number {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5]
      .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  function contrast(ink: string, ground: string, scheme: 0 | 1): number {
    const [a, b] = [tokens.get(ink)?.[scheme], tokens.get(ground)?.[scheme]].map((hex) => luminance(hex ?? ""));
    if (a === undefined || b === undefined) return 0;
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }

  it.each(text)("let %s be read on %s (4.5 : 1)", (ink, ground) => {
    expect(contrast(ink, ground, 0)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(ink, ground, 1)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(shapes)("let %s be seen on %s (3 : 1)", (shape, ground) => {
    expect(contrast(shape, ground, 0)).toBeGreaterThanOrEqual(3);
    expect(contrast(shape, ground, 1)).toBeGreaterThanOrEqual(3);
  });
});
