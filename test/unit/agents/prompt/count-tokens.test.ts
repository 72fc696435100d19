// The estimate beside what two public tokenizers count, and that a longer text never costs less.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countTokens } from "../../../../src/agents/prompt/count-tokens.ts";

/** Text, and the tokens that cl100k_base and o200k_base make of it (counted with gpt-tokenizer 3.4.0). */
const samples: readonly (readonly [string, string, number, number])[] = [
  [
    "English prose",
    "The reviewer found that the session is closed twice when the request is cancelled, which releases the lock of another worker. Move the call into the finally block and guard it with a flag.",
    37,
    37,
  ],
  [
    "TypeScript",
    'export async function loadUser(id: string, options: LoadOptions = {}): Promise<User | null> {\n  const row = await db.query("SELECT * FROM users WHERE id = ?", [id]);\n  if (row === undefined) return null;\n  return { ...row, createdAt: new Date(row.created_at) };\n}\n',
    67,
    68,
  ],
  [
    "C++",
    "template <typename T>\nstd::unique_ptr<T> Pool<T>::acquire(std::size_t n) {\n    std::lock_guard<std::mutex> guard(mutex_);\n    if (free_.empty()) { grow(n * sizeof(T)); }\n    auto* p = free_.back(); free_.pop_back();\n    return std::unique_ptr<T>(p);\n}\n",
    75,
    76,
  ],
  [
    "Python",
    'def parse(path: Path, *, strict: bool = False) -> dict[str, Any]:\n    with path.open(encoding="utf-8") as handle:\n        for number, line in enumerate(handle, start=1):\n            if line.startswith("#") and not strict:\n                continue\n            yield number, line.rstrip("\\n")\n',
    67,
    68,
  ],
  [
    "JSON",
    '{"id":"9f86d081-884c-7d65","items":[{"sku":"A-1093","qty":3,"price":19.99},{"sku":"B-2210","qty":1,"price":249.0}],"total":308.97,"paid":true}',
    63,
    64,
  ],
  [
    "Chinese",
    "审查者发现，当请求被取消时会话会被关闭两次，从而释放了另一个工作线程的锁。请把这个调用移到最后的代码块里，并用一个标志保护它。",
    63,
    46,
  ],
  [
    "Traditional Chinese",
    "審查者發現，當請求被取消時工作階段會被關閉兩次，因而釋放了另一個執行緒的鎖。請將呼叫移至最後的區塊。",
    77,
    51,
  ],
  [
    "Japanese",
    "レビュー担当者は、リクエストがキャンセルされるとセッションが二回閉じられ、別のワーカーのロックが解放されることを見つけました。",
    61,
    44,
  ],
  [
    "Korean",
    "검토자는 요청이 취소될 때 세션이 두 번 닫혀 다른 작업자의 잠금이 해제된다는 것을 발견했습니다. 이 호출을 마지막 블록으로 옮기십시오.",
    74,
    43,
  ],
  [
    "Vietnamese",
    "Người duyệt thấy rằng phiên làm việc bị đóng hai lần khi yêu cầu bị hủy, khiến khóa của tiến trình khác bị nhả ra. Hãy chuyển lời gọi vào khối cuối.",
    74,
    41,
  ],
  [
    "Russian",
    "Рецензент обнаружил, что при отмене запроса сеанс закрывается дважды, из-за чего освобождается блокировка другого обработчика.",
    54,
    32,
  ],
  [
    "Hex",
    "3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    85,
    86,
  ],
  [
    "Diff",
    "@@ -10,6 +10,7 @@ function close()\n   10   10   if (session === null) return;\n   11       - session.close();\n        11 + session.close();\n        12 + session = null;\n   12   13   }\n",
    59,
    59,
  ],
  ["Emoji", "🚀 Done! ✅ 🎉🎉 👩‍💻 fixed 🐛", 23, 18],
  [
    "Minified",
    '!function(e,t){"object"==typeof exports?module.exports=t():e.x=t()}(this,function(){var a=1,b=2;return{a:a+b,c:[1,2,3].map(function(n){return n*a})}});',
    55,
    55,
  ],
];

describe("the estimate of tokens", () => {
  it.each(samples)("is close for %s", (_, text, cl100k, o200k) => {
    const larger = Math.max(cl100k, o200k);
    expect(countTokens(text) / larger).toBeGreaterThan(0.8);
    expect(countTokens(text) / larger).toBeLessThan(1.35);
  });

  it("counts Chinese by the character and not by four of them", () => {
    const chinese = "审查者发现会话被关闭两次";
    expect(countTokens(chinese)).toBeGreaterThanOrEqual(chinese.length);
    expect(countTokens("the session is closed twice")).toBeLessThan(10);
  });

  it("never shrinks when a text goes on, and is nothing for nothing", () => {
    expect(countTokens("")).toBe(0);
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string());
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(countTokens(a + b)).toBeGreaterThanOrEqual(countTokens(a));
        // A part is never dearer alone than within the whole, but for the word that the cut made.
        expect(countTokens(a) + countTokens(b)).toBeGreaterThanOrEqual(countTokens(a + b) - 1);
      }),
    );
  });
});
