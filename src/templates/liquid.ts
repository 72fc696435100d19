// The Liquid engine of the templates: strict, limited, and with every output taken out of the Markdown as a slot.
import { Liquid, type Template } from "liquidjs";
import { AppError } from "../core/errors.ts";
import type { Rendered, Slot } from "../ports/texts.ts";
import type { Catalogues } from "./catalogues.ts";
import type { TemplateFolder } from "./folders.ts";
import { createSlotCollector, type SlotCollector, slotsOf, slotValue, textOf } from "./slot-values.ts";

/** Largest template, characters. */
const PARSE_LIMIT = 200_000;
/** Longest rendering, ms; only there to stop an endless loop. */
const RENDER_LIMIT_MS = 5_000;
/** Objects a rendering may create, in Liquid's own count. */
const MEMORY_LIMIT = 20_000_000;

export interface TemplateEngine {
  /** Throws AppError `config` with file and line. */
  parse(source: string, file: string): ParsedTemplate;
  /** Throws AppError `config` with file and line. */
  render(template: ParsedTemplate, model: Readonly<Record<string, unknown>>, locale: string): Rendered;
}

export interface ParsedTemplate {
  readonly file: string;
  readonly nodes: readonly Template[];
}

/** What filters need of the rendering they run in; rendering is synchronous, so there is one at a time. */
interface Rendering {
  readonly locale: string;
  readonly collector: SlotCollector;
}

export function createTemplateEngine(folders: readonly TemplateFolder[], catalogues: Catalogues): TemplateEngine {
  let current: Rendering = { locale: "en", collector: createSlotCollector() };
  const partials = partialsOf(folders);
  const liquid = new Liquid({
    templates: Object.fromEntries([...partials].map(([name, partial]) => [name, partial.source])),
    extname: ".md",
    cache: true,
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    parseLimit: PARSE_LIMIT,
    renderLimit: RENDER_LIMIT_MS,
    memoryLimit: MEMORY_LIMIT,
    outputEscape: (value: unknown) => current.collector.place(value),
  });
  registerFilters(liquid, () => current.locale, catalogues);

  return {
    parse: (source, file) => {
      try {
        return { file, nodes: liquid.parse(source, file) };
      } catch (thrown) {
        throw templateFault(thrown, file, partials);
      }
    },
    render: (template, model, locale) => {
      const collector = createSlotCollector();
      current = { locale, collector };
      try {
        const markdown: unknown = liquid.renderSync([...template.nodes], model);
        return { markdown: String(markdown), slots: collector.slots };
      } catch (thrown) {
        throw templateFault(thrown, template.file, partials);
      }
    },
  };
}

type Partials = ReadonlyMap<string, { readonly source: string; readonly file: string }>;

function partialsOf(folders: readonly TemplateFolder[]): Partials {
  const partials = new Map<string, { source: string; file: string }>();
  for (const folder of [...folders].reverse()) {
    for (const name of folder.templates) {
      partials.set(name, { source: folder.read(name) ?? "", file: folder.pathOf(name) });
    }
  }
  return partials;
}

function registerFilters(liquid: Liquid, locale: () => string, catalogues: Catalogues): void {
  slotFilter("markdown", (text) => ({ kind: "markdown", text }));
  slotFilter("lead", (text) => ({ kind: "lead", text }));
  slotFilter("code", (text) => ({ kind: "code", text }));
  slotFilter("fence", (text, language) => ({
    kind: "fence",
    text,
    ...(textOf(language) === "" ? {} : { language: textOf(language) }),
  }));
  slotFilter("link", (text, url) =>
    textOf(url) === "" ? { kind: "text", text } : { kind: "link", text, url: encoded(textOf(url)) },
  );
  liquid.registerFilter("t", (key: unknown, ...params: readonly unknown[]) => {
    const values: Record<string, string | number> = {};
    const inner: (readonly Slot[])[] = [];
    for (const param of params) {
      if (!Array.isArray(param)) throw new Error(`the filter t takes named values only: t: name: value`);
      const [name, value] = param as unknown as readonly [string, unknown];
      const slots = slotsOf(value);
      // A value that is a link or code keeps its form inside the text.
      values[name] =
        slots === null ? (typeof value === "number" ? value : textOf(value)) : `\uE002${inner.push(slots) - 1}\uE003`;
    }
    const text = catalogues.text(textOf(key), locale(), values);
    const parts = text.split(/\uE002(\d+)\uE003/);
    return slotValue(
      ...parts.flatMap((part, index): readonly Slot[] =>
        index % 2 === 0 ? [{ kind: "text", text: part }] : (inner[Number(part)] ?? []),
      ),
    );
  });
  liquid.registerFilter("raw", () => {
    throw new Error("the filter raw does not exist here: every value stays text, use markdown for Markdown");
  });

  function slotFilter(name: string, make: (text: string, argument: unknown) => Slot): void {
    liquid.registerFilter(name, (value: unknown, argument: unknown) => slotValue(make(textOf(value), argument)));
  }
}

/** Percent-encodes what may not stand in an address; what is encoded already stays. */
function encoded(url: string): string {
  return url.replace(/[^!#$%&'()*+,\-./:;=?@[\]_~A-Za-z0-9]/gu, (sign) => {
    // A lone surrogate cannot be encoded.
    return /\p{Surrogate}/u.test(sign) ? "%EF%BF%BD" : encodeURIComponent(sign);
  });
}

function templateFault(thrown: unknown, file: string, partials: Partials): AppError {
  const token = tokenOf(thrown);
  const named = token?.file || file;
  const path = partials.get(named)?.file ?? named;
  const [line] = token?.getPosition() ?? [1];
  const raw = thrown instanceof Error ? thrown.message : String(thrown);
  const what = raw.replace(/, (?:file|line):.*$/s, "");
  return new AppError("config", `${path}:${line}: ${what}.`, {
    remedy: 'Correct the template at that line; "aicr-bot templates check" lists every mistake.',
    params: { file: path, line: line ?? 1, what },
    cause: thrown,
  });
}

interface Token {
  readonly file?: string;
  getPosition(): readonly number[];
}

function tokenOf(thrown: unknown): Token | null {
  if (typeof thrown !== "object" || thrown === null || !("token" in thrown)) return null;
  const { token } = thrown;
  const usable = typeof token === "object" && token !== null && "getPosition" in token;
  return usable ? (token as Token) : null;
}
