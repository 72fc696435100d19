// The words by which an agent's prose is understood, in English, Chinese and Vietnamese; every pattern is bounded.

/** What one language says of each matter. All patterns run on lower-case text of one clause. */
export interface ProseWords {
  /** Begins a clause that takes back what stood before. */
  readonly contrast: RegExp;
  /** Denies problems: "no … issues", "did not find any bugs". */
  readonly denial: RegExp;
  /** Approves without naming problems: "looks good", "LGTM". */
  readonly approval: RegExp;
  /** Turns an approval around: "does not look good". */
  readonly negation: RegExp;
  /** What may stand beside a denial or approval without narrowing it to one aspect. */
  readonly filler: RegExp;
  /** There is nothing that can be reviewed. */
  readonly nothing: RegExp;
  /** Source or context is missing. */
  readonly missing: RegExp;
  /** Names a place or a remedy: no clause with it is harmless. */
  readonly pointed: RegExp;
  /** Sounds like a problem, unless the clause merely tells what the change does. */
  readonly finding: RegExp;
  /** Tells what the change does. */
  readonly describing: RegExp;
}

const problems =
  "(?:issues?|problems?|concerns?|bugs?|defects?|findings?|errors?|violations?|flaws?|vulnerabilit(?:y|ies)|regressions?|comments?|suggestions?|feedback)";
const sources =
  "(?:source(?: code| files?)?|code(?:base)?|files?(?: contents?)?|contents?|diffs?|patch|repo(?:sitory)?|context|implementation|definitions?|changes?)";

const english: ProseWords = {
  contrast:
    /\b(?:but|however|although|though|except|yet|nevertheless|nonetheless|still|unless|other than|apart from|aside from|besides|that said|one caveat)\b/,
  denial: new RegExp(
    `\\b(?:no|zero|0|without(?: any)?|free of|(?:not|\\w+n't|unable to|cannot|failed to)(?: \\w+)? (?:find|see|spot|identify|detect|notice|introduce|have|contain|raise|reveal|show)(?: any| a)?)(?: [\\w-]+){0,3}? ${problems}(?: (?:or|nor)(?: [\\w-]+){0,2}? ${problems})?\\b|\\bnothing (?:\\w+ )?(?:to (?:report|flag|fix|add|address|raise|comment on)|actionable|wrong|suspicious|problematic|stands out)\\b|\\b(?:didn't|did not|don't|do not|couldn't|could not) (?:find|see|spot) anything (?:wrong|to (?:report|flag)|actionable|problematic)\\b`,
  ),
  approval:
    /\blgtm\b|\bship it\b|\b(?:looks?|seems?|appears?|is|are|all|everything(?:'s)?)(?: to be)?(?: \w+)? (?:good|fine|correct|clean|ok|okay|solid|safe|sound|great|right|sane)\b|\b(?:good|safe|ready) to (?:go|merge|ship)\b|\bapproved?\b/,
  negation: /\b(?:not|never|cannot|nothing|hardly|barely|neither)\b|n't\b/,
  filler:
    /^(?:a|about|actionable|after|all|am|an|and|any|apparent|appears?|are|as|at|based|be|been|bugs?|but|by|careful(?:ly)?|change|changed|changes|changeset|check(?:ed|ing)?|code|comments?|commit|commits|complete|completed|concerns?|contain|concrete|defects?|detect(?:ed)?|did|diff|do|does|during|entire|errors?|everything|examined|far|file|files|find|findings?|fine|feedback|fix|flag(?:ged)?|for|found|from|full|good|great|has|have|having|here|i|i've|identif(?:y|ied)|introduced?|in|inspect(?:ed|ing)|is|issues?|it|its|leaks?|lgtm|list|looks?|me|meaningful|modified|my|new|noted|noteworthy|notable|obvious|of|on|or|nor|notice|our|overall|patch|pr|problems?|provided|pull|read(?:ing)?|real|regressions?|report(?:able|ed)?|request|result|results|review(?:ed|ing)?|reveal|revision|see|seem|seems|seen|spot|ship|should|show|significant|so|source|spotted|still|substantive|such|suggestions?|summary|that|the|them|there|there's|therefore|these|this|those|thorough(?:ly)?|to|update|vulnerabilit(?:y|ies)|warnings?|was|we|were|which|whole|with|within|work|worth|yes|you|your|great|nice|job|approved?|merge|ready|safe|correct|clean|raised?|verdict|conclusion|thanks|no)$/,
  nothing:
    /\b(?:no|not any|nothing) (?:[\w-]+ ){0,2}?reviewable\b|\bnothing(?: here| in (?:this|the) \w+)? (?:to|that can be|can be|needs) (?:be )?review(?:ed)?\b|\bno (?:source )?(?:code|files?|changes?|content)(?: changes?| files?)? (?:to|for|that (?:need|require)s?) (?:a )?(?:be )?review|\bno (?:source )?code (?:changes?|files?|was changed|has changed|were changed|changed)\b|\b(?:only|solely|just|exclusively|nothing but)(?: [\w-]+){0,4} (?:lock(?:[ -]?files?)?|generated|binary|binaries|vendored|minified|licen[cs]e|submodule)\b|\b(?:diff|change|patch|commit) is empty\b|\bempty (?:diff|change|patch|commit)\b|\bno (?:files? (?:were |was |have )?)?change[sd]?(?: found| detected| here)?$/,
  missing: new RegExp(
    `\\b(?:can ?not|can't|could not|couldn't|unable to|not able to|failed to|don't|do not|did not|didn't) (?:have |get |gain )?(?:access|see|view|read|open|find|locate|load|retrieve|inspect)(?: to)?(?: (?:the|any|its|your|full|actual|complete|rest|of|surrounding|changed|relevant|this|these|that|said)){0,4}(?: [\\w./-]+)? ${sources}\\b|\\b(?:don't|do not|without|no|lacks?|lacking) (?:have )?(?:access to|sight of)(?: [\\w-]+){0,4} ${sources}\\b|\\b${sources} (?:is|are|was|were|has|have)(?: been)? (?:not (?:\\w+ )?(?:available|provided|included|accessible|present|given|shown|found)|missing|unavailable|inaccessible|absent)\\b|\\bno (?:source|code|diff|files?|context|content)s? (?:\\w+ )?(?:was|were|is|are|has been|have been)? ?(?:provided|given|included|attached|available|supplied)\\b|\\b(?:please|could you|can you) (?:provide|share|attach|send|paste|supply)\\b|\\b(?:need|needs|require|requires) (?:more|additional|further|the full|the complete|full) (?:[\\w-]+ )?${sources}\\b|\\b(?:insufficient|not enough|missing|too little|lack of) (?:source|context|code context|information)\\b|\\bneed to see\\b|\\b(?:diff|patch|change|commit|code|file|snippet) (?:does not|doesn't|did not|didn't) (?:include|contain|show|provide)(?: [\\w-]+){0,3} ${sources}\\b`,
  ),
  pointed:
    /\blines? ?#?\d+|\bl\d+\b|\.\w{1,8}:\d+|\b(?:should|must|ought to|needs? to|needs? (?:a )?fix(?:ing)?|consider|recommend|suggest|please fix|would be better|instead of)\b|\b(?:p[0-3]|critical|high|medium|low)(?:[ -]severity|:)/,
  finding: new RegExp(
    `\\b(?:${problems}|leak\\w*|null|undefined|nan|deref\\w*|crash\\w*|races?|racy|deadlock\\w*|overflow\\w*|inject\\w*|insecure|unsafe|incorrect\\w*|wrong\\w*|broken|breaks?|fails?|failing|failures?|missing|forgot\\w*|might|may|could|potential\\w*|risk\\w*|risky|warnings?|typos?|unused|duplicat\\w*|inefficien\\w*|regress\\w*|todo|fixme|causes?|leads? to|results? in|never|ignores?|swallow\\w*|unhandled|unchecked|unvalidated|off[ -]by[ -]one|hard-?coded|exposes?|dead code|nitpicks?|nits?|minor)\\b`,
  ),
  describing:
    /^(?:i reviewed|i checked|(?:this|the|these|it|both)\b(?: [\w-]+){0,3}? ?(?:only |simply |just |correctly |now |also |properly |safely )?(?:add|fix|remove|rename|update|refactor|bump|replace|handle|move|guard|validate|improve|change|simplif|extract|clean|correct)(?:s|es|ed|ies)?\b)/,
};

const chinese: ProseWords = {
  contrast: /但是|但|不过|然而|只是|除了|除此之外|除非|可是|唯一/,
  denial:
    /(?:没有?|沒有?|未|无|無|并无|暂无|不存在|未见|零)(?:能)?(?:发现|發現|检测到|看到|找到|检出|引入|存在)?(?:了)?(?:任何|什么|其他|明显的?|可操作的?|可行动的?|需要(?:修复|处理|报告|关注|修改)的?|实质性?的?|值得(?:报告|注意|关注)的?|新的?|严重的?|重大的?|[\p{L}]{0,4}?)(?:问题|問題|缺陷|错误|錯誤|bug|异常|漏洞|隐患)|没(?:什么)?(?:问题|可(?:报告|指出)的)|无需(?:修改|改动|修复)|不需要(?:修改|改动|修复)|(?:没有|无)(?:任何|什么|其他)?(?:需要|值得)(?:修改|改动|修复|改进|指出|报告|关注)的?(?:地方|之处|内容)/u,
  approval:
    /看起来(?:都|很|挺)?(?:不错|好|正常|正确|合理|可以|没问题)|一切(?:都)?(?:正常|良好|很好)|可以合并|可以合入|代码(?:质量)?(?:良好|很好|正确|整洁)|审查通过|评审通过|同意合并|lgtm/,
  negation: /不(?:太)?(?:好|对|正确|合理|正常|可以|能|通过|同意|建议)|未通过|没通过/,
  // No word boundaries here: what is left when all of these are taken out, longest first, is what narrows.
  filler:
    /diff|lgtm|bug|可操作|可行动|看起来|一切|不错|之后|什么|之处|仔细|代码|地方|改进|任何|修复|修改|值得|全部|关注|内容|发现|变化|变更|合入|合并|合理|同意|問題|因此|处理|存在|完成|完毕|实质|审查|审核|审阅|已经|异常|引入|很好|总体|总结|我们|所以|所有|找到|报告|指出|提交|操作|改动|整个|整体|整洁|文件|明显|暂时|更改|未见|本次|来看|检出|检查|检测|检视|正常|正确|此次|注意|漏洞|發現|目前|直接|看到|程序|经过|结果|结论|缺陷|良好|补丁|评审|质量|起来|这个|这些|这次|通过|錯誤|错误|问题|隐患|需要|、|上|不|与|並|中|也|了|以|内|到|及|可|同|后|和|在|均|好|已|并|很|性|我|或|挺|新|无|是|暂|有|未|本|沒|没|無|的|看|经|能|良|要|该|都|里|零|需/g,
  nothing:
    /(?:没有|无|沒有|不存在)(?:任何)?(?:可|可以|需要|能|值得|能够|可供)(?:被)?(?:审查|评审|审核|审阅|检查|review)(?:的)?|(?:仅|只|全部|都)(?:是|有|修改|更新|包含|涉及|改动|变更)(?:了)?[^，。]{0,8}(?:锁文件|锁定文件|lock|生成的?|二进制|第三方|许可证|子模块)|(?:没有|无|未)(?:任何)?(?:源)?代码(?:的)?(?:变更|改动|更改|修改|变化)|(?:diff|差异|变更|改动)(?:内容)?(?:是|为)?空/,
  missing:
    /(?:无法|不能|没法|未能|没有办法|看不到|读不到|找不到|没看到)(?:访问|查看|看到|读取|获取|打开|找到|得到|加载|拿到)?(?:到)?[^，。]{0,12}?(?:源码|源代码|代码|源文件|文件|内容|上下文|diff|差异|仓库|改动|变更)|(?:缺少|缺乏|缺失)(?:了|必要的|足够的|相关的?|完整的?)?(?:源码|源代码|代码内容|上下文|文件内容|文件|diff|信息)|(?:未|没有|没)(?:有)?提供(?:任何|完整的?|相关的?)?(?:源码|源代码|代码|diff|文件|上下文|差异|内容)|需要(?:更多|完整|额外)的?(?:上下文|代码|源码|信息|文件)|请(?:提供|分享|发送|给出|贴出)|(?:源码|源代码|代码|源文件|文件|文件内容|上下文|信息)(?:缺失|不足|不可用|不可见)|没有(?:足够|完整|必要)的?(?:源码|源代码|代码|上下文|信息)/,
  pointed:
    /第\s*\d+\s*行|\d+\s*行|\.\w{1,8}:\d+|应该|应当|应(?:改|使用|添加|检查)|建议|必须|最好|推荐|请(?:修复|修改|添加|检查)/,
  finding:
    /空指针|为空|泄[漏露]|漏洞|风险|错误|问题|缺陷|可能|缺少|缺失|遗漏|未(?:处理|检查|释放|验证|关闭|校验)|没有(?:处理|检查|释放|验证|关闭|校验)|崩溃|不正确|不当|越界|溢出|死锁|竞态|竞争|注入|失败|异常|隐患|重复|会导致|导致|bug|硬编码/,
  describing:
    /^(?:本次|这次|此次|该|这个|这些)[^，。]{0,6}(?:修复|添加|新增|删除|移除|重命名|更新|重构|升级|替换|处理|优化)了?/,
};

const vietnamese: ProseWords = {
  contrast: /(?:^|\s)(?:nhưng|tuy nhiên|tuy vậy|ngoại trừ|trừ|song|chỉ có điều|mặc dù|ngoài ra)(?=[\s,]|$)/,
  denial:
    /(?:không|chưa|chẳng)(?: \p{L}+)?? (?:tìm thấy|tìm ra|phát hiện|có|thấy|nhận thấy|gặp|ghi nhận)(?: ra| được)?(?: bất kỳ| bất cứ| một)?(?: \p{L}+){0,3}? ?(?:vấn đề|lỗi|sự cố|khiếm khuyết|bug|lỗ hổng)|không có gì (?:đáng |cần |để )?(?:báo cáo|lo|sửa|phàn nàn|bổ sung|nói)/u,
  approval:
    /(?:trông|có vẻ|nhìn|mọi thứ|tất cả|mã|code|thay đổi)(?: \p{L}+){0,3}? (?:ổn|tốt|đúng|sạch|an toàn|hợp lý|chính xác)|(?:có thể|sẵn sàng|được) (?:merge|gộp|hợp nhất)|lgtm/u,
  negation: /(?:^|\s)(?:không|chưa|chẳng)(?=\s)/,
  filler:
    /^(?:tôi|chúng tôi|đã|xem|xét|rà|soát|kiểm|tra|đánh|giá|review|qua|các|những|thay|đổi|này|đó|mã|nguồn|code|commit|diff|bản|vá|tệp|file|trong|ở|tại|của|cho|với|và|hoặc|hay|thì|là|rằng|nào|cả|đều|mọi|thứ|tất|bất|kỳ|cứ|một|ra|được|đáng|kể|cần|báo|cáo|sửa|chữa|để|phải|vấn|đề|lỗi|sự|cố|có|không|thấy|tìm|phát|hiện|sau|khi|toàn|bộ|nhìn|chung|kết|quả|luận|trông|vẻ|ổn|tốt|rất|khá|gì|đợt|lần|lgtm|thể|merge|gộp|an|sẵn|sàng|rõ|ràng|nghiêm|túc|nên|vì|vậy|do|mới|hành|động|xử|lý)$/,
  nothing:
    /không có(?: bất kỳ| bất cứ)?(?: \p{L}+){0,3}?(?: nào| gì)?(?: để| cần| có thể| đáng)(?: được| phải)? (?:xem xét|đánh giá|review|rà soát|kiểm tra)|chỉ(?: \p{L}+){0,5}? (?:lock|khóa|nhị phân|tự động|sinh ra|được tạo|giấy phép|bên thứ ba)|không có (?:thay đổi|sửa đổi)(?: nào)?(?: về| trong| ở)?(?: mã| code)|(?:diff|thay đổi) (?:bị )?(?:rỗng|trống)/u,
  missing:
    /(?:không thể|không|chưa|không tài nào)(?: thể)? (?:truy cập|xem|đọc|mở|tìm thấy|lấy|tải|nhìn thấy|thấy)(?: được)?(?: vào)?(?: \p{L}+){0,3}? ?(?:mã nguồn|tệp|nội dung|ngữ cảnh|code|file|diff|kho)|thiếu (?:mã nguồn|ngữ cảnh|nội dung|tệp|thông tin|file)|(?:vui lòng|hãy|xin) (?:cung cấp|gửi|chia sẻ)|cần (?:thêm|xem thêm) (?:ngữ cảnh|mã nguồn|thông tin|code)|(?:mã nguồn|diff|nội dung|ngữ cảnh|tệp|file)(?: \p{L}+){0,2} (?:không|chưa) (?:được cung cấp|có sẵn|có)|không (?:được cung cấp|có quyền truy cập)/u,
  pointed:
    /dòng (?:số |thứ )?\d+|\.\w{1,8}:\d+|(?:^|\s)(?:nên|cần phải|phải|hãy sửa|đề nghị|khuyến nghị|đề xuất)(?=\s)/,
  finding:
    /rò rỉ|null|(?:^|\s)lỗi|vấn đề|lỗ hổng|rủi ro|nguy cơ|có thể (?:gây|bị|dẫn)|(?:^|\s)thiếu|(?:^|\s)sai|hỏng|tràn|không (?:được )?(?:kiểm tra|xử lý|đóng|giải phóng)|treo|sập|trùng lặp|không an toàn|không đúng|gây ra/,
  describing:
    /^(?:thay đổi|bản vá|commit|sửa đổi) (?:này |đó )?(?:chỉ )?(?:thêm|sửa|xóa|đổi tên|cập nhật|tái cấu trúc|nâng cấp|thay)/,
};

export const proseWords = { english, chinese, vietnamese };
