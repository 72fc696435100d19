// The languages that the product speaks, and what people may call them.

export const locales = ["en", "zh-CN", "vi"] as const;
export type Locale = (typeof locales)[number];

/** The product's language for what a person typed (`zh`, `ZH-cn`, `en_US`), or null. */
export function localeNamed(typed: string): Locale | null {
  const tag = typed.toLowerCase().replace("_", "-");
  const exact = locales.find((one) => one.toLowerCase() === tag);
  if (exact !== undefined) return exact;
  const [primary] = tag.split("-");
  return locales.find((one) => one.toLowerCase().split("-")[0] === primary) ?? null;
}
