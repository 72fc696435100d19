// Templates and catalogues: what shadows what, what values may do, and what mistakes are reported as.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toBlocks } from "../../../src/cards/to-blocks.ts";
import { runTemplatesCheck } from "../../../src/cli/commands/templates.ts";
import { AppError } from "../../../src/core/errors.ts";
import { localeFor } from "../../../src/templates/catalogues.ts";
import { checkTemplates } from "../../../src/templates/check-templates.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { loadTexts } from "../../../src/templates/load-texts.ts";
import { compileMessage, placeholdersOf } from "../../../src/templates/messages.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aicr-templates-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

function fault(run: () => unknown): AppError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

const blocksOf = (template: string, model: Record<string, unknown>) => {
  write("private.md", template);
  return toBlocks(createTexts({ folders: [folder] }).render("private", model, { locale: "en" }));
};

describe("the built-in texts", () => {
  it("have no mistakes, in any language", () => {
    expect(checkTemplates([])).toEqual([]);
  });

  it("speak three languages, and English to everybody else", () => {
    const texts = createTexts();
    const say = (locale: string) => texts.text("report.title", locale, { n: 2, repository: "demo" });
    expect([say("en"), say("zh-CN"), say("vi"), say("de")]).toEqual([
      "2 problems in demo",
      "demo 中有 2 个问题",
      "2 vấn đề trong demo",
      "2 problems in demo",
    ]);
    expect(texts.text("report.title", "en", { n: 1, repository: "demo" })).toBe("1 problem in demo");
    expect(["zh-Hans-CN", "zh", "vi_VN", "EN-gb", ""].map(localeFor)).toEqual(["zh-CN", "zh-CN", "vi", "en", "en"]);
  });

  it("have a remedy for every error", () => {
    const texts = createTexts();
    for (const reason of [
      "unknown_repository",
      "unknown_revision",
      "timeout",
      "disk_full",
      "internal",
      "agent_failed",
    ]) {
      expect([texts.has(`error.${reason}`), texts.has(`error.${reason}.remedy`)]).toEqual([true, true]);
    }
  });

  it("refuse an unknown key and a missing value", () => {
    expect(fault(() => createTexts().text("no.such.key", "en")).code).toBe("internal");
    expect(fault(() => createTexts().text("skip.other", "en")).message).toContain("skip.other");
  });
});

describe("shadowing", () => {
  it("takes the channel's template, then the common one, folder by folder", () => {
    write("slack/private.md", "slack");
    write("private.md", "common");
    const texts = createTexts({ folders: [folder] });
    const rendered = (channel: string) => texts.render("private", {}, { locale: "en", channel }).markdown;
    expect([rendered("slack"), rendered("web")]).toEqual(["slack", "common"]);
  });

  it("takes single texts from an override, the rest from the product", () => {
    write("locales/en.json", '{"report.none": "spotless"}');
    const texts = createTexts({ folders: [folder] });
    expect(texts.text("report.none", "en")).toBe("spotless");
    expect(texts.text("audit.clean", "en")).toBe("no problems");
  });

  it("includes partials of any folder", () => {
    write("signature.md", "Yours, {{ name }}");
    expect(blocksOf("{% render 'signature', name: who %}", { who: "*Ada*" })).toEqual([
      { kind: "text", children: [{ kind: "text", text: "Yours, *Ada*" }] },
    ]);
  });
});

describe("values in templates", () => {
  it("stay text, whatever they hold", () => {
    expect(blocksOf("{{ a }}\n\n- {{ a }}", { a: "# *b* [c](d)" })).toEqual([
      { kind: "text", children: [{ kind: "text", text: "# *b* [c](d)" }] },
      { kind: "list", ordered: false, items: [[{ kind: "text", children: [{ kind: "text", text: "# *b* [c](d)" }] }]] },
    ]);
  });

  it("become Markdown, code, fences and links by filters", () => {
    const model = { a: "*b*", url: "https://x.test/a b?c=ü#L1", none: null };
    expect(blocksOf("{{ a | markdown }}", model)).toEqual([
      { kind: "text", children: [{ kind: "emphasis", children: [{ kind: "text", text: "b" }] }] },
    ]);
    expect(blocksOf("{{ a | code }}", model)).toEqual([{ kind: "text", children: [{ kind: "code", text: "*b*" }] }]);
    expect(blocksOf("{{ a | fence: 'ts' }}", model)).toEqual([{ kind: "code", language: "ts", text: "*b*" }]);
    expect(blocksOf("{{ a | link: url }} {{ a | link: none }}", model)).toEqual([
      {
        kind: "text",
        children: [
          { kind: "link", url: "https://x.test/a%20b?c=%C3%BC#L1", children: [{ kind: "text", text: "*b*" }] },
          { kind: "text", text: " *b*" },
        ],
      },
    ]);
  });

  it("keep their form inside a text of the catalogue", () => {
    expect(
      blocksOf('{% assign p = path | code %}{{ "file.from" | t: kind: "renamed", path: p }}', { path: "a.c" }),
    ).toEqual([
      {
        kind: "text",
        children: [
          { kind: "text", text: "renamed from " },
          { kind: "code", text: "a.c" },
        ],
      },
    ]);
  });

  it("make fields of a table without a header, and leave out empty ones", () => {
    expect(blocksOf("| | |\n| - | - |\n| A | {{ a }} |\n| B | {{ b }} |", { a: 1, b: null })).toEqual([
      { kind: "fields", fields: [{ label: "A", value: [{ kind: "text", text: "1" }] }] },
    ]);
  });
});

describe("mistakes", () => {
  it.each([
    ["one\n{% if a %}", 2, /tag .*not closed/],
    ["one\n\n{{ nothing }}", 3, /undefined variable: nothing/],
    ["{{ title | nofilter }}", 1, /undefined filter: nofilter/],
    ["{{ title | raw }}", 1, /raw does not exist/],
    ["{{ 'no.such' | t }}", 1, /no text "no.such"/],
    ["{% render 'missing' %}", 1, /missing/],
  ])("names file and line of %j", (template, line, message) => {
    write("private.md", template);
    const [mistake, ...others] = checkTemplates([folder]);
    expect(others).toEqual([]);
    expect(mistake).toMatchObject({ file: join(folder, "private.md"), line });
    expect(mistake?.message).toMatch(message);
  });

  it("composes sample digests: of several repositories, of one, and with a finding that no message is about", () => {
    const sections = "{% for section in sections %}\n{% for finding in section.top %}";
    write("digest.md", `# {{ title }}\n${sections}\n{{ finding.nobody }}\n{% endfor %}{% endfor %}`);
    const mistakes = checkTemplates([folder]);
    expect(mistakes).toMatchObject([{ file: join(folder, "digest.md"), line: 4 }]);
    expect(mistakes[0]?.message).toMatch(/nobody/);
    write("digest.md", "# {{ title }}\n{% for section in sections %}{{ section.heading.length.no }}{% endfor %}");
    expect(checkTemplates([folder])).toMatchObject([{ file: join(folder, "digest.md"), line: 2 }]);
  });

  it.each([
    ['{\n  "report.none": "a",\n  oops\n}', 3, /not JSON/],
    ['{\n  "report.none": 1\n}', 2, /not a string/],
    ['{\n  "report.nothing": "a"\n}', 2, /no text "report.nothing"/],
    ['{\n  "skip.other": "because"\n}', 2, /leaves out \{reason\}/],
    ['{\n  "skip.lgtm": "{why}"\n}', 2, /no value \{why\}/],
    ['{\n  "skip.lgtm": "{n, plural}"\n}', 2, /not ICU/],
    ["[]", 1, /not a JSON object/],
  ])("names file and line of the catalogue %j", (catalogue, line, message) => {
    write("locales/vi.json", catalogue);
    const [mistake] = checkTemplates([folder]);
    expect(mistake).toMatchObject({ file: join(folder, "locales/vi.json"), line });
    expect(mistake?.message).toMatch(message);
  });

  it("are printed, and refuse the start", () => {
    write("failure.md", "{{ oops }}");
    const lines: string[] = [];
    expect(runTemplatesCheck([folder], { stdout: (text) => void lines.push(text) })).toBe(1);
    expect(lines).toEqual([`${join(folder, "failure.md")}:1: undefined variable: oops\n`]);
    const thrown = fault(() => loadTexts({ folders: [folder] }));
    expect(thrown).toMatchObject({ code: "config", params: { line: 1 } });
    expect(thrown.message).toContain("failure.md:1");
    expect(runTemplatesCheck([], { stdout: () => {} })).toBe(0);
  });

  it("say that a folder is missing", () => {
    expect(checkTemplates([join(folder, "none")])).toEqual([
      expect.objectContaining({ line: 1, message: expect.stringContaining("cannot be read") }),
    ]);
    expect(fault(() => createTexts({ folders: [join(folder, "none")] })).code).toBe("config");
  });

  it("stop a template that never ends", () => {
    write("private.md", "{% for a in (1..100000000) %}{{ a }}{% endfor %}");
    expect(fault(() => createTexts({ folders: [folder] }).render("private", {}, { locale: "en" })).code).toBe("config");
  });
});

describe("messages", () => {
  it("format plain, simple and plural texts", () => {
    expect(compileMessage("a", "en")({})).toBe("a");
    expect(compileMessage("{a} of {b}", "en")({ a: "$&", b: 2 })).toBe("$& of 2");
    expect(compileMessage("{n, plural, one {# file} other {# files}}", "en")({ n: 1234 })).toBe("1,234 files");
    expect(compileMessage("it's '{'{a}'}'", "en")({ a: 1 })).toBe("it's {1}");
    expect(() => compileMessage("{a}", "en")({})).toThrow("missing");
  });

  it("name their placeholders", () => {
    expect(placeholdersOf("{b} {a, plural, one {# {c}} other {x}}")).toEqual(["a", "b", "c"]);
  });
});
