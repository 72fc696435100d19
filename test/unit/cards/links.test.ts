// Addresses of commits and lines, from a repository's web link templates.
import { expect, it } from "vitest";
import { createLinkBuilder, noLinks } from "../../../src/cards/links.ts";

const builder = createLinkBuilder({
  commit: "https://git.test/c/{rev}",
  file: "https://git.test/f/{rev}/{path}",
  line: "#L{line}",
  lines: "#L{line}-L{endLine}",
});

it("encode revisions and paths, and keep to their folder", () => {
  const head = { canonical: "a b" };
  expect(builder.file("dir/ü #?.ts", head, 3)).toBe("https://git.test/f/a%20b/dir/%C3%BC%20%23%3F.ts#L3");
  expect(builder.file("../x", head)).toBe("https://git.test/f/a%20b/%2E%2E/x");
  expect(builder.file("x", head, 3, 3)).toBe("https://git.test/f/a%20b/x#L3");
  expect([noLinks.commit(head), noLinks.file("x", head)]).toEqual([null, null]);
  expect(createLinkBuilder({ file: "https://h/{path}" }).file("x", head, 3)).toBe("https://h/x");
});
