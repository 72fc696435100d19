// Tells whether a summary claims problems, so that one that does while none was reported is repaired, never published.
import type { Summary } from "./report.ts";

/** "found 3 issues", "2 high-severity problems", "发现 1 个高风险问题", "tìm thấy 2 lỗi"; a count of none claims nothing. */
const claims = [
  /\b(?:found|identified|detected|reported|there (?:is|are)|has|have)\s+(?:a|an|one|two|three|four|five|several|some|multiple|many|[1-9]\d*)\b[^.!?\n]{0,60}\b(?:issue|problem|bug|defect|vulnerabilit|finding)/iu,
  /\b[1-9]\d*\s+(?:(?:info|low|medium|high|critical)(?:[- ]severity)?\s+)?(?:issue|problem|bug|defect|vulnerabilit|finding)/iu,
  /(?:发现|存在|检测到|共有)\s*(?:了)?\s*(?:[1-9]\d*|[一二三四五六七八九十两几多])\s*(?:个|处|项)[^。！？\n]{0,30}(?:问题|缺陷|漏洞|错误|风险)/u,
  /(?:tìm thấy|phát hiện|có)\s+(?:[1-9]\d*|một|hai|ba|bốn|năm|nhiều)\s+[^.!?\n]{0,40}(?:vấn đề|lỗi|lỗ hổng)/iu,
];

/** Longest part of a summary that is looked at, UTF-16 units: the claim stands at its beginning. */
const LOOK_AT = 4_000;

export function claimsProblems(summary: Summary): boolean {
  const text = `${summary.title ?? ""}\n${summary.markdown}`.slice(0, LOOK_AT);
  return claims.some((claim) => claim.test(text));
}
