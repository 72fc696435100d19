// Every sentence of the diagnostics tools in the product's three languages; the Vietnamese is the specification's own.
import type { Locale } from "../ports/texts.ts";
import type { EngineName } from "./limits.ts";
import type { PathCode } from "./paths.ts";

export type EngineFault =
  | { readonly kind: "timeout"; readonly seconds: number }
  | { readonly kind: "output_exceeded"; readonly mebibytes: number }
  | { readonly kind: "missing" }
  /** The engine ended without a readable report. `detail` is the end of what it said, one line. */
  | { readonly kind: "failed"; readonly code: number | null; readonly detail: string };

export interface CheckMessages {
  fault(engine: EngineName, fault: EngineFault): string;
  clusterOverFiles(rule: string, issues: number, files: number): string;
  clusterInFile(rule: string, issues: number, file: string): string;
  actionOverFiles(rule: string, files: number): string;
  actionInFile(rule: string, file: string): string;
  actionSingle(rule: string): string;
  actionFix(rule: string): string;
  stale(): string;
  loopHint(occurrences: number): string;
  loopWarning(signatures: number): string;
  cacheRebuilt(): string;
  path(code: PathCode, path: string): string;
}

const english: CheckMessages = {
  fault(engine, fault) {
    switch (fault.kind) {
      case "timeout":
        return `${engine} did not finish within ${fault.seconds}s`;
      case "output_exceeded":
        return `${engine} output exceeded the ${fault.mebibytes} MiB limit`;
      case "missing":
        return `${engine} is not installed and could not be started`;
      case "failed":
        return `${engine} failed (${ending(fault.code)})${detail(fault.detail)}`;
    }
  },
  clusterOverFiles: (rule, issues, files) => `${issues} ${rule} issues in ${files} files`,
  clusterInFile: (rule, issues, file) => `${issues} ${rule} issues in ${file}`,
  actionOverFiles: (rule, files) => `Look for a common cause of ${rule} in ${files} files`,
  actionInFile: (rule, file) => `Look for a common cause of ${rule} in ${file}`,
  actionSingle: (rule) => `Fix ${rule}`,
  actionFix: (rule) => `Apply the engine's fix for ${rule}`,
  stale: () => "This cluster or issue no longer exists; run check_project again.",
  loopHint: (n) => `This issue was fixed and came back ${n} times; consider a different approach`,
  loopWarning: (n) =>
    `${n} ${n === 1 ? "issue keeps" : "issues keep"} coming back after being fixed; see get_loop_status`,
  cacheRebuilt: () => "The diagnostics cache was unreadable and has been rebuilt.",
  path(code, path) {
    switch (code) {
      case "invalid_path":
        return `${quote(path)} is not a usable path: it is empty, begins with "-" or holds control characters.`;
      case "path_outside_project":
        return `${quote(path)} leads out of the project; give a path relative to the project's directory.`;
      case "path_not_found":
        return `${quote(path)} does not exist in the project.`;
    }
  },
};

const chinese: CheckMessages = {
  fault(engine, fault) {
    switch (fault.kind) {
      case "timeout":
        return `${engine} 未能在 ${fault.seconds} 秒内完成`;
      case "output_exceeded":
        return `${engine} 的输出超过 ${fault.mebibytes} MiB 上限`;
      case "missing":
        return `${engine} 未安装，无法启动`;
      case "failed":
        return `${engine} 运行失败（${ending(fault.code)}）${detail(fault.detail)}`;
    }
  },
  clusterOverFiles: (rule, issues, files) => `${files} 个文件中共有 ${issues} 个 ${rule} 问题`,
  clusterInFile: (rule, issues, file) => `${file} 中有 ${issues} 个 ${rule} 问题`,
  actionOverFiles: (rule, files) => `检查 ${files} 个文件中 ${rule} 的共同原因`,
  actionInFile: (rule, file) => `检查 ${file} 中 ${rule} 的共同原因`,
  actionSingle: (rule) => `修复 ${rule}`,
  actionFix: (rule) => `应用引擎为 ${rule} 提供的修复`,
  stale: () => "该 cluster/issue 已不存在，请重新运行 check_project。",
  loopHint: (n) => `该问题修复后又出现了 ${n} 次，建议换一种方法`,
  loopWarning: (n) => `有 ${n} 个问题修复后反复出现，详见 get_loop_status`,
  cacheRebuilt: () => "诊断缓存无法读取，已重新建立。",
  path(code, path) {
    switch (code) {
      case "invalid_path":
        return `${quote(path)} 不是可用的路径：为空、以 "-" 开头或含有控制字符。`;
      case "path_outside_project":
        return `${quote(path)} 位于项目之外，请使用相对于项目目录的路径。`;
      case "path_not_found":
        return `项目中不存在 ${quote(path)}。`;
    }
  },
};

const vietnamese: CheckMessages = {
  fault(engine, fault) {
    switch (fault.kind) {
      case "timeout":
        return `${engine} không hoàn thành trong vòng ${fault.seconds}s`;
      case "output_exceeded":
        return `đầu ra của ${engine} vượt quá giới hạn ${fault.mebibytes} MiB`;
      case "missing":
        return `${engine} chưa được cài đặt và không thể khởi động`;
      case "failed":
        return `${engine} gặp lỗi (${ending(fault.code)})${detail(fault.detail)}`;
    }
  },
  clusterOverFiles: (rule, issues, files) => `${issues} lỗi ${rule} trên ${files} file`,
  clusterInFile: (rule, issues, file) => `${issues} lỗi ${rule} trong ${file}`,
  actionOverFiles: (rule, files) => `Xem xét nguyên nhân chung của ${rule} trên ${files} file`,
  actionInFile: (rule, file) => `Xem xét nguyên nhân chung của ${rule} trong ${file}`,
  actionSingle: (rule) => `Sửa lỗi ${rule}`,
  actionFix: (rule) => `Áp dụng bản sửa lỗi của engine cho ${rule}`,
  stale: () => "Cluster/issue này không còn tồn tại; hãy chạy lại check_project.",
  loopHint: (n) => `Lỗi này đã được sửa và xuất hiện lại ${n} lần — nên xem xét phương pháp khác`,
  loopWarning: (n) => `Có ${n} lỗi lặp đi lặp lại sau khi được sửa; xem get_loop_status`,
  cacheRebuilt: () => "Bộ nhớ đệm chẩn đoán không đọc được và đã được tạo lại.",
  path(code, path) {
    switch (code) {
      case "invalid_path":
        return `${quote(path)} không phải đường dẫn hợp lệ: rỗng, bắt đầu bằng "-" hoặc chứa ký tự điều khiển.`;
      case "path_outside_project":
        return `${quote(path)} nằm ngoài dự án; hãy dùng đường dẫn tương đối so với thư mục dự án.`;
      case "path_not_found":
        return `${quote(path)} không tồn tại trong dự án.`;
    }
  },
};

const catalogue: Readonly<Record<Locale, CheckMessages>> = { en: english, "zh-CN": chinese, vi: vietnamese };

export function checkMessages(locale: Locale): CheckMessages {
  return catalogue[locale];
}

function ending(code: number | null): string {
  return code === null ? "signal" : `exit ${code}`;
}

function detail(text: string): string {
  return text === "" ? "" : `: ${text}`;
}

function quote(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}
