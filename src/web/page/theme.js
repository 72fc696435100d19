// Sets theme and language before the first paint, so that neither flashes; a classic script, because modules run later.
(() => {
  const themes = ["light", "dark"];
  const languages = ["en", "zh-CN", "vi"];
  /** @param {string} key */
  const stored = (key) => {
    try {
      return localStorage.getItem(key) ?? "";
    } catch {
      // Storage may be forbidden; the page then follows the system.
      return "";
    }
  };
  const theme = stored("aicr.theme");
  if (themes.includes(theme)) document.documentElement.dataset["theme"] = theme;

  /** @param {string} tag */
  const supported = (tag) => {
    const lower = tag.toLowerCase();
    if (lower.startsWith("zh")) return "zh-CN";
    return languages.find((language) => lower === language || lower.startsWith(`${language}-`));
  };
  const chosen = stored("aicr.language");
  const wanted = navigator.languages.map(supported).find((language) => language !== undefined);
  document.documentElement.lang = languages.includes(chosen) ? chosen : (wanted ?? "en");
})();
