// Phrases that agents end with: what is a skip, what asks for context, and what must never be taken for one.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { skipFromProse } from "../../../src/core/prose-skip.ts";

const lgtm = [
  "LGTM",
  "LGTM!",
  "**LGTM** 👍",
  "Looks good to me.",
  "No issues found.",
  "No problems were found in this change.",
  "I reviewed the diff and found no issues.",
  "I did not find any issues in the code.",
  "I couldn't find any bugs.",
  "There are no actionable problems.",
  "No actionable issues were identified during my review.",
  "Nothing to report.",
  "Everything looks good.",
  "The changes look correct. No issues found.",
  "This change fixes a null check in the parser. LGTM.",
  "No bugs, leaks or vulnerabilities were found.",
  "No issues with naming. LGTM.",
  "After reviewing src/app.ts and lib/x.c, I found no problems.",
  "After careful review, I did not identify any actionable problems.",
  "There's nothing wrong with this change.",
  "Review complete: no findings.",
  "I don't see any problems with this change.",
  "我已审查完毕，没有发现任何缺陷。",
  "未发现问题。",
  "没有发现任何问题",
  "本次变更没有问题，可以合并。",
  "代码看起来不错，未发现明显的问题。",
  "经过审查，没有发现需要报告的问题。",
  "一切正常。",
  "Không tìm thấy vấn đề nào.",
  "Không phát hiện lỗi nào trong thay đổi này.",
  "Tôi đã xem xét các thay đổi và không thấy vấn đề gì.",
  "Mọi thứ đều ổn.",
  "I found no bugs or security issues.",
  "After reviewing the changes, I have no actionable feedback.",
  "I have no comments on this change.",
  "Ship it!",
  "没有需要修改的地方。",
  "没有可行动的问题。",
];

const nothing = [
  "There is no reviewable code in this change.",
  "Nothing reviewable here.",
  "Nothing to review.",
  "No code to review.",
  "Only lock files were changed.",
  "The commit only updates generated files, so there is nothing to review.",
  "The diff is empty.",
  "There are no code changes.",
  "没有可审查的代码。",
  "本次提交仅修改了锁文件。",
  "没有代码变更。",
  "Không có mã nào để xem xét.",
  "Commit này chỉ thay đổi tệp nhị phân.",
];

const context = [
  "I cannot access the source files.",
  "I was unable to read the file contents.",
  "I don't have access to the repository.",
  "The source code was not provided.",
  "No diff was provided.",
  "Please provide the diff so that I can review it.",
  "I need more context to review this change.",
  "Unable to find the source of parser.ts, so no issues found.",
  "The file is missing. No problems found.",
  "The diff does not include the definition of foo().",
  "无法访问源代码。",
  "缺少上下文，无法审查代码。",
  "没有提供 diff。",
  "请提供完整的代码。",
  "Tôi không thể truy cập mã nguồn.",
  "Thiếu ngữ cảnh để đánh giá.",
  "Vui lòng cung cấp mã nguồn.",
  "源码缺失，无法评审",
  "没有足够的上下文。",
];

const neither = [
  "No issues with naming. However line 42 dereferences null",
  "No issues with naming. However, line 42 dereferences null.",
  "No issues with naming.",
  "Looks good, but the lock is never released.",
  "LGTM except for the missing null check.",
  "LGTM, although the loop may overflow.",
  "Not LGTM.",
  "This does not look good.",
  "No issues found. One caveat: the cache is not invalidated.",
  "There is no doubt this causes issues.",
  "There is a bug in parse().",
  "The function leaks memory.",
  "Line 10 should check for null.",
  "No critical issues, just a few minor ones.",
  "src/a.ts:42 uses an unvalidated path. Otherwise no problems.",
  "Found 3 issues.",
  "No security issues found.",
  "high: SQL injection in login. Nothing else to report.",
  "Consider renaming the variable. LGTM.",
  "The lock is held across an await. No other issues.",
  "The lock is held across an await. No further problems were found.",
  "没有命名问题。",
  "没有严重问题。",
  "锁在等待期间被持有。没有其他问题。",
  "Khóa bị giữ qua await. Không có vấn đề nào khác.",
  "No issues except a typo.",
  "Everything is fine apart from the missing await.",
  "未发现问题，除了第3行。",
  "没有问题，但建议加锁。",
  "Không có lỗi, ngoại trừ dòng 3.",
  "I found no issues in the tests; the handler could crash on empty input.",
  "I will now review the change.",
  "",
  "   \n ",
  "Done.",
  "命名没有问题，但是第 42 行存在空指针。",
  "第42行可能空指针。其他没有问题。",
  "建议添加空值检查。",
  "没有发现命名问题。不过这里会导致内存泄漏。",
  "代码存在安全漏洞。",
  "Không có vấn đề về đặt tên. Tuy nhiên dòng 42 truy cập null.",
  "Trông ổn nhưng thiếu kiểm tra null.",
  "Hàm này bị rò rỉ bộ nhớ.",
  "Nên kiểm tra giá trị null.",
  "No security issues found.",
  "I found no bugs or security issues in the parser, but the token is logged.",
  "I have no suggestions beyond the missing lock.",
  "Feedback: the lock is never released.",
  "没有需要修改的地方，但第 42 行有空指针。",
];

describe("prose that means", () => {
  test.each(lgtm)("lgtm: %s", (text) => expect(skipFromProse(text)).toBe("lgtm"));
  test.each(nothing)("no_reviewable_code: %s", (text) => expect(skipFromProse(text)).toBe("no_reviewable_code"));
  test.each(context)("needs_context: %s", (text) => expect(skipFromProse(text)).toBe("needs_context"));
  test.each(neither)("no skip: %s", (text) => expect(skipFromProse(text)).toBeNull());
});

test("a finding in any sentence beats every verdict, wherever it stands", () => {
  const findings = [
    "Line 42 dereferences null.",
    "The handler leaks a file descriptor.",
    "第 7 行应该检查空值。",
    "Dòng 9 bị lỗi.",
  ];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...lgtm, ...nothing), { maxLength: 4 }),
      fc.constantFrom(...findings),
      fc.nat(4),
      (texts, finding, at) => {
        const all = [...texts.slice(0, at), finding, ...texts.slice(at)];
        expect(skipFromProse(all.join("\n"))).toBeNull();
      },
    ),
  );
});

test("nothing an agent writes takes more than linear time", () => {
  const units = [
    "no ",
    "no a ",
    "n't find any ",
    "没有",
    "không ",
    "cannot see the the ",
    "only a ",
    "looks ",
    "line ",
    "i ",
    ", ",
    "- ",
    "看到",
    "没有问题看到没",
    "looks good a-",
  ];
  for (const unit of units) {
    const text = unit.repeat(6_000 / unit.length);
    const before = process.cpuUsage().user;
    for (let i = 0; i < 5; i++) skipFromProse(text);
    expect(process.cpuUsage().user - before).toBeLessThan(2_000_000);
  }
  expect(skipFromProse("LGTM. ".repeat(50_000))).toBeNull();
});
