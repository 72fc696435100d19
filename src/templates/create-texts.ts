// The product's words: catalogues and templates of a stack of folders behind the port `Texts`.
import { AppError } from "../core/errors.ts";
import type { RenderOptions, TemplateName, Texts } from "../ports/texts.ts";
import { createCatalogues, localeFor } from "./catalogues.ts";
import { builtInTemplates, openTemplateFolder, type TemplateFolder } from "./folders.ts";
import { createTemplateEngine, type ParsedTemplate } from "./liquid.ts";

export interface TextsOptions {
  /** Override folders, the strongest first; the built-in folder stands behind them. Default none. */
  readonly folders?: readonly string[];
}

/** Reads nothing but the folders' listings at first; templates and catalogues are read and parsed when they are needed. */
export function createTexts({ folders = [] }: TextsOptions = {}): Texts {
  const stack = [...folders, builtInTemplates()].map(openTemplateFolder);
  return createTextsOf(stack);
}

/** Throws AppError `config` for folders or files that cannot be read. */
export function createTextsOf(stack: readonly TemplateFolder[]): Texts {
  const catalogues = createCatalogues(stack);
  const engine = createTemplateEngine(stack, catalogues);
  const parsed = new Map<string, ParsedTemplate>();

  return {
    ...catalogues,
    render: (name, model, options) => engine.render(templateFor(name, options), model, localeFor(options.locale)),
  };

  function templateFor(name: TemplateName, { channel }: RenderOptions): ParsedTemplate {
    const id = `${channel ?? ""}/${name}`;
    const known = parsed.get(id);
    if (known !== undefined) return known;
    const { folder, file } = findTemplate(stack, name, channel);
    const template = engine.parse(folder.read(file) ?? "", folder.pathOf(file));
    parsed.set(id, template);
    return template;
  }
}

function findTemplate(
  stack: readonly TemplateFolder[],
  name: TemplateName,
  channel: string | undefined,
): { readonly folder: TemplateFolder; readonly file: string } {
  const candidates = [...(channel === undefined ? [] : [`${channel}/${name}.md`]), `${name}.md`];
  for (const folder of stack) {
    const file = candidates.find((candidate) => folder.templates.includes(candidate));
    if (file !== undefined) return { folder, file };
  }
  throw new AppError("config", `There is no template ${name}.md.`, {
    remedy: "Install the bot again, with its templates/ folder beside dist/.",
  });
}
