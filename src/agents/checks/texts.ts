// The agent's own words in the languages of the product; what engines say stays in the engines' words.
import { type Catalogue, en, type TextKey } from "./texts/en.ts";
import { vi } from "./texts/vi.ts";
import { zhCN } from "./texts/zh-cn.ts";

export type { TextKey };
export type TextParams = Readonly<Record<string, string | number>>;

const catalogues: Readonly<Record<string, Catalogue>> = { en, vi, "zh-CN": zhCN };

/** The text of `key` with `{name}` filled from `params`; English where the language is unknown. */
export function text(key: TextKey, locale: string, params: TextParams = {}): string {
  const template = (catalogues[locale] ?? en)[key];
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}
