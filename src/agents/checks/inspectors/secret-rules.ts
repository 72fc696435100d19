// Shapes of credentials that secretlint's preset leaves out, and the test for values that only look like one.

export interface SecretRule {
  readonly name: string;
  /** Global; group 1, or else the whole match, is the secret. */
  readonly pattern: RegExp;
  readonly severity: "critical" | "high";
  /** What the reader knows it as. */
  readonly label: string;
  /** Shortest Shannon entropy (bits a character) of a real one. */
  readonly minEntropy: number;
}

export const secretRules: readonly SecretRule[] = [
  {
    name: "aws-access-key",
    label: "AWS access key id",
    severity: "critical",
    minEntropy: 3,
    pattern: /(?<![A-Z0-9])((?:AKIA|ASIA)[A-Z2-7]{16})(?![A-Z0-9])/g,
  },
  {
    name: "aws-secret-key",
    label: "AWS secret access key",
    severity: "critical",
    minEntropy: 4,
    pattern: /aws_?(?:secret)?_?(?:access)?_?key(?:_?id)?["']?\s*[:=]\s*["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
  },
  {
    name: "slack-app-token",
    label: "Slack app-level token",
    severity: "critical",
    minEntropy: 3,
    pattern: /\b(xapp-\d-[A-Z0-9]{8,}-\d{8,}-[a-f0-9]{32,})\b/g,
  },
  {
    name: "slack-token",
    label: "Slack token",
    severity: "critical",
    minEntropy: 3,
    pattern: /\b(xox[abeoprs]-(?:\d+-){1,3}[A-Za-z0-9]{16,})\b/g,
  },
  {
    name: "slack-webhook",
    label: "Slack webhook address",
    severity: "high",
    minEntropy: 3,
    pattern: /hooks\.slack\.com\/(?:services|workflows)\/(T[A-Z0-9]{6,}\/[A-Z0-9]{6,}\/[A-Za-z0-9]{18,})/g,
  },
  {
    name: "discord-webhook",
    label: "Discord webhook address",
    severity: "high",
    minEntropy: 3,
    pattern: /discord(?:app)?\.com\/api\/webhooks\/(\d{16,20}\/[\w-]{60,})/g,
  },
  {
    name: "discord-bot-token",
    label: "Discord bot token",
    severity: "critical",
    minEntropy: 4,
    pattern: /\b([MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,38})\b/g,
  },
  {
    name: "lark-webhook",
    label: "Lark webhook address",
    severity: "high",
    minEntropy: 3,
    pattern: /open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook\/([0-9a-f]{8}-[0-9a-f-]{27})/g,
  },
  {
    name: "teams-webhook",
    label: "Microsoft Teams webhook address",
    severity: "high",
    minEntropy: 3,
    pattern: /webhook\.office\.com\/webhookb2\/([0-9a-f-]{36}@[0-9a-f-]{36}\/IncomingWebhook\/[0-9a-f]{32})/g,
  },
  {
    name: "google-api-key",
    label: "Google API key",
    severity: "high",
    minEntropy: 3.5,
    pattern: /(?<![\w-])(AIza[\w-]{35})(?![\w-])/g,
  },
  {
    name: "google-oauth-secret",
    label: "Google OAuth client secret",
    severity: "critical",
    minEntropy: 3.5,
    pattern: /\b(GOCSPX-[\w-]{28})(?![\w-])/g,
  },
  {
    name: "stripe-key",
    label: "Stripe live key",
    severity: "critical",
    minEntropy: 3.5,
    pattern: /\b([sr]k_live_[A-Za-z0-9]{20,})/g,
  },
  {
    name: "twilio-key",
    label: "Twilio API key",
    severity: "high",
    minEntropy: 3,
    pattern: /twilio.{0,40}?["'=\s:](SK[0-9a-f]{32})\b/gi,
  },
  {
    name: "telegram-bot-token",
    label: "Telegram bot token",
    severity: "critical",
    minEntropy: 4,
    pattern: /(?<![\w:])(\d{8,10}:AA[\w-]{33})(?![\w-])/g,
  },
  {
    name: "github-token",
    label: "GitHub token",
    severity: "critical",
    minEntropy: 3.5,
    pattern: /\b(gh[oprsu]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})\b/g,
  },
  {
    name: "gitlab-token",
    label: "GitLab token",
    severity: "critical",
    minEntropy: 3.2,
    pattern: /\b(glpat-[\w-]{20,})/g,
  },
  {
    name: "npm-token",
    label: "npm token",
    severity: "critical",
    minEntropy: 3.5,
    pattern: /\b(npm_[A-Za-z0-9]{36})\b/g,
  },
  {
    name: "pypi-token",
    label: "PyPI token",
    severity: "critical",
    minEntropy: 3.5,
    pattern: /\b(pypi-AgEIcHlwaS5vcmc[\w-]{50,})/g,
  },
  {
    name: "sendgrid-key",
    label: "SendGrid key",
    severity: "critical",
    minEntropy: 4,
    pattern: /\b(SG\.[\w-]{22}\.[\w-]{43})\b/g,
  },
  {
    name: "digitalocean-token",
    label: "DigitalOcean token",
    severity: "critical",
    minEntropy: 3,
    pattern: /\b(do[opr]_v1_[0-9a-f]{64})\b/g,
  },
  {
    name: "openai-key",
    label: "OpenAI key",
    severity: "critical",
    minEntropy: 4,
    pattern: /\b(sk-(?:proj-|svcacct-|admin-)?[\w-]{20,200}T3BlbkFJ[\w-]{20,})/g,
  },
  {
    name: "anthropic-key",
    label: "Anthropic key",
    severity: "critical",
    minEntropy: 4,
    pattern: /\b(sk-ant-(?:api|admin)\d\d-[\w-]{80,})/g,
  },
  {
    name: "azure-storage-key",
    label: "Azure storage account key",
    severity: "critical",
    minEntropy: 4,
    pattern: /AccountKey=([A-Za-z0-9+/]{86}==)/g,
  },
  {
    name: "private-key",
    label: "private key",
    severity: "critical",
    minEntropy: 4,
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\n|\s|["'+,\\])*((?:[A-Za-z0-9+/=]{40,}(?:\\n|\s|["'+,\\])*){2,})/g,
  },
  {
    name: "json-web-token",
    label: "signed JSON web token",
    severity: "high",
    minEntropy: 4,
    pattern: /\b(eyJ[\w-]{15,2000}\.eyJ[\w-]{20,4000}\.[\w-]{40,1000})/g,
  },
  {
    name: "url-password",
    label: "password in an address",
    severity: "high",
    minEntropy: 2.5,
    pattern:
      /\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|redis|rediss|amqps?|https?|ftp|mssql|clickhouse):\/\/[^\s:/@"'`<>{}$]{1,100}:([^\s:/@"'`<>{}$]{6,200})@(?!localhost|127\.|0\.0\.0\.0|\[?::1|example\.|(?:host|hostname|db|postgres|mysql|redis|mongo|rabbitmq)(?![\w.-]))[\w.-]+/g,
  },
];

/** Bits a character of the value's own letter distribution. */
export function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** Three or more of the same character, or an alphabet or digit run: nobody is issued such a value. */
function isTyped(value: string): boolean {
  return /(.)\1{4,}|(?:0?123456789|987654321|abcdefgh|qwerty|deadbeef|cafebabe|0123456789abcdef)/i.test(value);
}

/** Whether the value is plainly a stand-in: named as one, built at run time, or typed by hand. */
export function isPlaceholder(value: string): boolean {
  return (
    /example|sample|dummy|fake|mock|placeholder|change[-_ ]?me|replace|redacted|your[-_ ]|[-_ ]here\b|xxx|\.\.\.|\*\*\*|todo|foo|bar(?![a-z])|insert|not[-_ ]?(a|real|the)|test(ing)?[-_ ]?(key|token|secret|pass)|^test|secret[-_]?(key|token|value|here)|lorem/i.test(
      value,
    ) ||
    /\$\{|\$\(|\{\{|<[^>]+>|%[({]|%s|#\{|process\.env|os\.environ|getenv|ENV\[|\$[A-Z_]{3,}|^\$[a-z_]/i.test(value) ||
    isTyped(value)
  );
}

/** Every repetition has an upper bound: the text is a stranger's, and matching it must stay linear. */
const secretName =
  "(?:[\\w-]{0,60}?(?:passw(?:or)?d|passphrase|pwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|bot[_-]?token|private[_-]?key|encryption[_-]?key|signing[_-]?key|credential|token))(?:[_-]?(?:value|prod|production|live|default|str|string))?";
const quotedLiteral = "(?:[a-zA-Z]{0,2})?([\"'`])([^\"'`\\s\\\\]{8,256})\\2";
const typeNote = "(?:\\s{0,9}:\\s{0,9}(?:string|str|String|char\\s{0,9}\\*))?";

export const assignments: readonly { readonly pattern: RegExp; readonly settingsOnly: boolean }[] = [
  {
    // `name = "literal"`, `name: "literal"`, `"name": "literal"`, `name := "literal"`.
    pattern: new RegExp(
      `(?<![\\w-])["']?(${secretName})["']?\\]?${typeNote}\\s{0,9}(?:=(?!=|>|~)|:=|:(?!:))\\s{0,9}${quotedLiteral}`,
      "gi",
    ),
    settingsOnly: false,
  },
  { pattern: new RegExp(`#define[ \\t]{1,9}(${secretName})[ \\t]{1,20}${quotedLiteral}`, "gi"), settingsOnly: false },
  {
    // `NAME=literal` and `name: literal`, without quotes to the end of the line.
    pattern: new RegExp(
      `^[ \\t]{0,80}(?:export[ \\t]{1,9})?(?:-[ \\t]{1,9})?(${secretName})[ \\t]{0,9}[=:][ \\t]{0,9}()([^\\s"'\`#;,(){}<>$\\[\\]]{8,256})[ \\t]{0,80}\\r?$`,
      "gim",
    ),
    settingsOnly: true,
  },
];

/** Whether a literal given to a name that speaks of a secret is one that a machine or a careful person chose. */
export function isSecretLiteral(name: string, value: string): boolean {
  if (isPlaceholder(value) || /^(https?:|\/|\.\/|\w+:\/\/|[a-z]+\/[a-z+.-]+$)/i.test(value)) return false;
  // Names of things, not things: identifiers, header names, message keys, dotted paths, sentences.
  if (/^[A-Za-z]+([-_.: ][A-Za-z]+)*$/.test(value)) return false;
  // The value repeats the name (`token: "access_token_v2"`), or the name speaks about the secret's form, place or label.
  if (/(passw|secret|token|credential|api[-_]?key)/i.test(value)) return false;
  if (/(type|name|field|header|label|url|uri|path|file|regex|pattern|hint|title|length|count|prefix|id)$/i.test(name))
    return false;
  const isPassword = /pass(w|phrase)|pwd/i.test(name);
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  if (isPassword) return kinds >= 3 && /\d|[^A-Za-z0-9]/.test(value) && entropy(value) >= 2.5;
  return (
    value.length >= 16 &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    entropy(value) >= 3.3 &&
    !/[\s|()[\]{}^]/.test(value)
  );
}
