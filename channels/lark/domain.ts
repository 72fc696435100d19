// Where the platform answers: the two clouds by name, or any address, such as a gateway or a fake on loopback.

/** Which cloud an app lives in; an app of one cloud does not exist in the other. */
export type LarkDomain = "feishu" | "lark" | (string & {});

const clouds: Readonly<Record<string, string>> = {
  feishu: "https://open.feishu.cn",
  lark: "https://open.larksuite.com",
};

/** The origin of a domain without a slash at its end: the SDK would double it. */
export function larkOrigin(domain: LarkDomain): string {
  return (clouds[domain] ?? domain).replace(/\/+$/, "");
}

/** Where people's clients open a conversation; null for a private deployment, whose clients open what nobody told us. */
export function larkAppLink(domain: LarkDomain): string | null {
  const origin = larkOrigin(domain);
  if (origin === clouds["feishu"]) return "https://applink.feishu.cn";
  return origin === clouds["lark"] ? "https://applink.larksuite.com" : null;
}
