// The few words around diagnostics on the command line, in the product's languages.
import type { Locale } from "../ports/texts.ts";

export interface CheckTexts {
  running(seconds: number): string;
  clean(): string;
  /** "3 errors, 1 warning in 2 files" */
  total(errors: number, warnings: number, files: number): string;
  more(issues: number): string;
  moreClusters(clusters: number): string;
  disabled(): string;
  failed(): string;
}

const texts: Readonly<Record<Locale, CheckTexts>> = {
  en: {
    running: (seconds) => `Checking… ${seconds} s`,
    clean: () => "No issues found.",
    total: (errors, warnings, files) =>
      `${plural(errors, "error")}, ${plural(warnings, "warning")} in ${plural(files, "file")}`,
    more: (issues) => `… and ${issues} more`,
    moreClusters: (clusters) => `… and ${plural(clusters, "further group")}; --format json lists all`,
    disabled: () => "disabled",
    failed: () => "error",
  },
  "zh-CN": {
    running: (seconds) => `正在检查… ${seconds} 秒`,
    clean: () => "未发现问题。",
    total: (errors, warnings, files) => `${files} 个文件中有 ${errors} 个错误、${warnings} 个警告`,
    more: (issues) => `… 另有 ${issues} 个`,
    moreClusters: (clusters) => `… 另有 ${clusters} 组；使用 --format json 查看全部`,
    disabled: () => "未启用",
    failed: () => "出错",
  },
  vi: {
    running: (seconds) => `Đang kiểm tra… ${seconds} giây`,
    clean: () => "Không phát hiện lỗi nào.",
    total: (errors, warnings, files) => `${errors} lỗi, ${warnings} cảnh báo trên ${files} file`,
    more: (issues) => `… và ${issues} lỗi khác`,
    moreClusters: (clusters) => `… và ${clusters} nhóm khác; dùng --format json để xem tất cả`,
    disabled: () => "đã tắt",
    failed: () => "gặp lỗi",
  },
};

export function checkTexts(locale: Locale): CheckTexts {
  return texts[locale];
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
