// The few words that the channel says itself: toasts in every language at once, and notes in the configured one.
import type { Texts } from "../../src/ports/texts.ts";

export interface Toast {
  readonly toast: {
    readonly type: "info" | "success" | "warning" | "error";
    readonly content: string;
    /** By the platform's names of languages; a click does not tell which one the person reads. */
    readonly i18n: Readonly<Record<string, string>>;
  };
}

export type ToastKey = "received" | "not_taken" | "unknown" | "not_yours";

export interface Words {
  toast(key: ToastKey): Promise<Toast>;
  text(key: string, params?: Readonly<Record<string, string | number>>): Promise<string>;
  /** In every language, by the platform's names of them. */
  everywhere(key: string): Promise<Readonly<Record<string, string>>>;
}

const types: Readonly<Record<ToastKey, Toast["toast"]["type"]>> = {
  received: "info",
  not_taken: "error",
  unknown: "warning",
  not_yours: "warning",
};

const platformNames: Readonly<Record<string, string>> = { en_us: "en", zh_cn: "zh-CN", vi_vn: "vi" };

export function createWords(texts: () => Promise<Texts>, language: string): Words {
  async function everywhere(key: string): Promise<Readonly<Record<string, string>>> {
    const spoken = await texts();
    return Object.fromEntries(
      Object.entries(platformNames).map(([name, locale]) => [name, spoken.text(key, locale)] as const),
    );
  }
  return {
    everywhere,
    text: async (key, params) => (await texts()).text(key, language, params),
    async toast(key) {
      const [spoken, i18n] = await Promise.all([texts(), everywhere(`lark.toast.${key}`)]);
      return { toast: { type: types[key], content: spoken.text(`lark.toast.${key}`, language), i18n } };
    },
  };
}
