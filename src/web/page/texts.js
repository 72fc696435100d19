// The page's own words in its three languages; what the bot says comes from the bot in the language asked for.

const texts = {
  en: {
    skip: "Skip to the message box",
    language: "Language",
    conversation: "Conversation",
    welcomeTitle: "Which change shall I look at?",
    welcomeLead:
      "Name a repository and a revision. I read the change, and what I find comes back here as a card with its thread.",
    welcomeSilence: "If there is nothing to say about a change, I say so to you alone and bother nobody else.",
    exampleDemo: "the newest change of the built-in demo",
    exampleHere: "the newest change of the folder I was started in",
    exampleHelp: "everything else you can say",
    examples: "Examples",
    suggestions: "Suggestions",
    composer: "Message to the bot",
    placeholder: "/review <repository> <revision>",
    send: "Send",
    hint: "Enter sends, ↑ brings back what you said, Tab completes.",
    newMessages: "New messages",
    onlyYou: "Only you see this",
    edited: "edited",
    said: "You said",
    code: "Code",
    diff: "Suggested change",
    table: "Table",
    thread: "Thread",
    showAll: "Show all {n} replies",
    showFewer: "Show fewer replies",
    connecting: "Connecting…",
    online: "Connected",
    offline: "Not connected; trying again",
    sendFailed: "Your message did not reach the bot.",
    sendFailedRemedy: "Check that the bot is running, then press Enter again.",
    actionFailed: "The button had no effect.",
    askSend: "Send",
    askCancel: "Cancel",
    themeAuto: "Theme: like the system",
    themeLight: "Theme: light",
    themeDark: "Theme: dark",
  },
  "zh-CN": {
    skip: "跳到输入框",
    language: "语言",
    conversation: "对话",
    welcomeTitle: "要我看哪个变更？",
    welcomeLead: "写出仓库和版本即可。我会阅读这次变更，发现的问题以卡片和讨论串的形式显示在这里。",
    welcomeSilence: "如果没有什么要说的，我只会悄悄告诉你一个人，不打扰其他人。",
    exampleDemo: "内置演示仓库的最新变更",
    exampleHere: "我启动时所在目录的最新变更",
    exampleHelp: "其他可用的命令",
    examples: "示例",
    suggestions: "建议",
    composer: "给机器人的消息",
    placeholder: "/review <仓库> <版本>",
    send: "发送",
    hint: "回车发送，↑ 找回说过的话，Tab 补全。",
    newMessages: "新消息",
    onlyYou: "仅你可见",
    edited: "已更新",
    said: "你说",
    code: "代码",
    diff: "建议的修改",
    table: "表格",
    thread: "讨论串",
    showAll: "显示全部 {n} 条回复",
    showFewer: "收起回复",
    connecting: "正在连接…",
    online: "已连接",
    offline: "连接已断开，正在重试",
    sendFailed: "消息没有送达。",
    sendFailedRemedy: "请确认机器人正在运行，然后再按一次回车。",
    actionFailed: "按钮没有生效。",
    askSend: "提交",
    askCancel: "取消",
    themeAuto: "外观：跟随系统",
    themeLight: "外观：浅色",
    themeDark: "外观：深色",
  },
  vi: {
    skip: "Chuyển đến ô nhập tin nhắn",
    language: "Ngôn ngữ",
    conversation: "Cuộc trò chuyện",
    welcomeTitle: "Bạn muốn tôi xem thay đổi nào?",
    welcomeLead:
      "Hãy ghi tên kho mã và phiên bản. Tôi sẽ đọc thay đổi đó, và những gì tìm thấy sẽ hiện ở đây dưới dạng thẻ kèm luồng trả lời.",
    welcomeSilence: "Nếu không có gì cần nói về thay đổi, tôi chỉ báo riêng cho bạn và không làm phiền ai khác.",
    exampleDemo: "thay đổi mới nhất của kho mẫu có sẵn",
    exampleHere: "thay đổi mới nhất của thư mục nơi tôi được khởi động",
    exampleHelp: "tất cả những lệnh khác",
    examples: "Ví dụ",
    suggestions: "Gợi ý",
    composer: "Tin nhắn cho bot",
    placeholder: "/review <kho> <phiên bản>",
    send: "Gửi",
    hint: "Enter để gửi, ↑ để gọi lại câu đã nói, Tab để hoàn thành.",
    newMessages: "Tin nhắn mới",
    onlyYou: "Chỉ bạn thấy",
    edited: "đã cập nhật",
    said: "Bạn nói",
    code: "Mã nguồn",
    diff: "Thay đổi đề xuất",
    table: "Bảng",
    thread: "Luồng trả lời",
    showAll: "Hiện tất cả {n} trả lời",
    showFewer: "Thu gọn trả lời",
    connecting: "Đang kết nối…",
    online: "Đã kết nối",
    offline: "Mất kết nối, đang thử lại",
    sendFailed: "Tin nhắn chưa đến được bot.",
    sendFailedRemedy: "Hãy kiểm tra bot có đang chạy không, rồi nhấn Enter lần nữa.",
    actionFailed: "Nút bấm không có tác dụng.",
    askSend: "Gửi",
    askCancel: "Hủy",
    themeAuto: "Giao diện: theo hệ thống",
    themeLight: "Giao diện: sáng",
    themeDark: "Giao diện: tối",
  },
};

/** @typedef {keyof typeof texts} Language */
/** @typedef {keyof typeof texts.en} TextKey */

/** @returns {Language} */
export function language() {
  const { lang } = document.documentElement;
  return lang === "zh-CN" || lang === "vi" ? lang : "en";
}

/**
 * @param {TextKey} key
 * @param {number} [count] stands for `{n}`
 */
export function text(key, count) {
  const words = texts[language()][key];
  return count === undefined ? words : words.replace("{n}", new Intl.NumberFormat(language()).format(count));
}

/**
 * Puts the words of the current language wherever the page names one.
 * @param {ParentNode} root
 */
export function translate(root) {
  for (const node of root.querySelectorAll("[data-text]")) node.textContent = text(key(node, "data-text"));
  for (const node of root.querySelectorAll("[data-label]"))
    node.setAttribute("aria-label", text(key(node, "data-label")));
  for (const node of root.querySelectorAll("[data-placeholder]")) {
    node.setAttribute("placeholder", text(key(node, "data-placeholder")));
  }
  for (const node of root.querySelectorAll("[data-count]")) {
    node.textContent = text(key(node, "data-counted"), Number(node.getAttribute("data-count")));
  }
  for (const node of root.querySelectorAll("time")) node.textContent = timeText(node.dateTime);
}

/**
 * @param {Element} node
 * @param {string} attribute
 */
function key(node, attribute) {
  return /** @type {TextKey} */ (node.getAttribute(attribute));
}

/** @param {string} iso @returns {string} the time of day, with the date unless it is today */
export function timeText(iso) {
  const time = new Date(iso);
  const isToday = time.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(language(), {
    ...(isToday ? {} : { day: "numeric", month: "short" }),
    hour: "2-digit",
    minute: "2-digit",
  }).format(time);
}
