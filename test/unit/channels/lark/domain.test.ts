// The two clouds and every other address: where calls go, and where people's clients open a chat.
import { describe, expect, it } from "vitest";
import { larkAppLink, larkOrigin } from "../../../../channels/lark/domain.ts";

describe("a domain", () => {
  it.each([
    ["feishu", "https://open.feishu.cn", "https://applink.feishu.cn"],
    ["lark", "https://open.larksuite.com", "https://applink.larksuite.com"],
    ["https://open.feishu.cn/", "https://open.feishu.cn", "https://applink.feishu.cn"],
    ["http://127.0.0.1:8080//", "http://127.0.0.1:8080", null],
  ])("%s is called at %s", (domain, origin, appLink) => {
    expect(larkOrigin(domain)).toBe(origin);
    expect(larkAppLink(domain)).toBe(appLink);
  });

  it("given by its address is the same cloud", () => {
    expect(larkAppLink("https://open.larksuite.com")).toBe("https://applink.larksuite.com");
  });
});
