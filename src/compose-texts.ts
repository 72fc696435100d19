// Composes the product's words and links from the configuration.
import { createLinkBuilder, type LinkBuilder, noLinks } from "./cards/links.ts";
import type { Config } from "./config/config.ts";
import type { Texts } from "./ports/texts.ts";
import { loadTexts } from "./templates/load-texts.ts";

/** Throws AppError `config` naming file and line when a template that shadows a built-in one has a mistake. */
export function composeTexts(config: Config): Texts {
  return loadTexts({ folders: config.templateFolders });
}

export function createLinks(config: Config): (repository: string) => LinkBuilder {
  const builders = new Map(config.repositories.map((one) => [one.alias, createLinkBuilder(one.web)]));
  return (repository) => builders.get(repository) ?? noLinks;
}
